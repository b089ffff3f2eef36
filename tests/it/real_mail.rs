//! Real mail, against the servers that people have: Dovecot for the mailboxes, Postfix for what is sent, started by the
//! test on loopback, and read back by another client.

mod servers;
