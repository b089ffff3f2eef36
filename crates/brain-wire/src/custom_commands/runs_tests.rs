//! Calls in which a text becomes a program, and such in which it stays an argument.

use super::runs::{CallWord, misuse};

/// Whether a call is refused; a word with `{` has a text in it.
fn refused(call: &str) -> bool {
    let (call, stdin) = call.split_once(" < ").unwrap_or((call, ""));
    let mut words = call.split(' ').map(|word| CallWord {
        fixed: word.split('{').next().unwrap_or_default().replace('_', " "),
        has_text: word.contains('{'),
    });
    let command = words.next().unwrap().fixed;
    misuse(&command, &words.collect::<Vec<_>>(), stdin.contains('{')).is_some()
}

#[test]
fn a_text_never_becomes_a_program_or_the_text_of_one() {
    for call in [
        "/bin/sh -c {a}",
        "/bin/sh -ce {a}",
        "/bin/sh -ec {a}",
        "/bin/bash -c -e {a}",
        "/bin/sh -o pipefail -c {a}",
        "/bin/sh -c -- {a}",
        "/bin/sh {a}",
        "/bin/sh < {a}",
        "/bin/sh -s x < {a}",
        "/bin/bash --rcfile {a} -i",
        "/bin/bash -O {a} /x",
        "/usr/bin/dash -c echo_{a}",
        "/usr/bin/csh -fc {a}",
        "/usr/bin/perl -e {a}",
        "/usr/bin/perl -ne {a}",
        "/usr/bin/perl -eprint{a}",
        "/usr/bin/perl5.36 -we {a}",
        "/usr/bin/perl -I /lib -e {a}",
        "/usr/bin/perl -M{a} /x.pl",
        "/usr/bin/perl < {a}",
        "/usr/bin/python3 -c {a}",
        "/usr/bin/python3.11 -Ic {a}",
        "/usr/bin/python3 -m {a}",
        "/usr/bin/python3 -W {a}",
        "/usr/bin/python3 - < {b} {a}",
        "/usr/bin/node -e {a}",
        "/usr/bin/node -pe {a}",
        "/usr/bin/node --eval={a}",
        "/usr/bin/node --eval {a}",
        "/usr/bin/node -r {a} /x.js",
        "/usr/bin/ruby -e {a}",
        "/usr/bin/php -r {a}",
        "/usr/bin/awk {a}",
        "/usr/bin/awk -f {a}",
        "/usr/bin/gawk -e {a}",
        "/usr/bin/mawk -v {a} 1",
        "/usr/bin/sed {a} /etc/passwd",
        "/usr/bin/sed -e {a}",
        "/usr/bin/sed -n {a}",
        "/usr/bin/sqlite3 /db {a}",
        "/usr/bin/env -S {a}",
        "/usr/bin/env -S sh_-c {a}",
        "/usr/bin/env {a}",
        "/usr/bin/env sh -c {a}",
        "/usr/bin/env -i X=1 perl -e {a}",
        "/usr/bin/env LD_PRELOAD={a} ls",
        "/usr/bin/nice -n 5 sh -c {a}",
        "/usr/bin/timeout 5 {a}",
        "/usr/bin/timeout {a} ls",
        "/usr/bin/timeout -k 1 5 bash -c {a}",
        "/usr/bin/sudo -u bob sh -c {a}",
        "/usr/bin/sudo -s {a}",
        "/usr/bin/sudo -i {a}",
        "/usr/bin/xargs {a}",
        "/usr/bin/xargs sh < {a}",
        "/usr/bin/xargs rm < {a}",
        "/usr/bin/busybox sh -c {a}",
        "/usr/bin/busybox {a}",
        "/usr/bin/nohup env nice sh < {a}",
        "/usr/bin/flock /lock -c {a}",
        "/usr/bin/flock /lock sh -c {a}",
        "/usr/bin/ssh host {a}",
        "/usr/bin/ssh {a} ls",
        "/usr/bin/ssh -o {a} host",
        "/usr/bin/ssh host < {a}",
        "/usr/bin/ssh -p 22 host < {a}",
        "/usr/bin/ssh host bash_-s < {a}",
        "/usr/bin/ssh host sudo sh < {a}",
        "/usr/bin/docker exec c sh -c {a}",
        "/usr/bin/docker exec -i c {a}",
        "/usr/bin/docker exec {a} ls",
        "/usr/bin/docker compose exec web sh -c {a}",
        "/usr/bin/kubectl exec pod -- sh -c {a}",
        "/usr/bin/su -c {a}",
        "/usr/bin/python3 /dev/stdin < {a}",
        "/opt/ownshell -lc {a}",
        "/usr/bin/find /d -exec {a} ;",
        "/usr/bin/find /d -exec sh -c {a} ;",
        "/usr/bin/find /d -execdir perl -e {a} ;",
        "/usr/bin/git -c {a} status",
        "/usr/bin/git -c alias.x=!{a} x",
        "/usr/bin/git clone --upload-pack={a} u",
        "/bin/tar -xf x --checkpoint-action=exec={a}",
        "/bin/tar --to-command {a} -xf x",
        "/bin/tar -cIf {a} x",
        "/usr/bin/rsync -ave {a} x y",
        "/usr/bin/curl -K {a}",
        "/usr/bin/curl -K - < {a}",
        "/usr/bin/make X={a}",
        "/usr/bin/watch ls {a}",
        "/usr/bin/vi -c {a}",
        "/usr/bin/npx -c {a}",
        "/usr/bin/npx {a}",
        "/usr/bin/psql < {a}",
    ] {
        assert!(refused(call), "{call}");
    }
}

#[test]
fn a_text_is_an_argument_of_what_is_settled() {
    for call in [
        "/usr/local/bin/print-label --size={size} {text}",
        "/home/me/note.sh {a} < {b}",
        "/bin/echo {a}",
        "/bin/sh /x/script.sh {a}",
        "/bin/sh /x/script.sh < {a}",
        "/bin/sh -eu /x/script.sh {a}",
        "/bin/sh -c echo_$1 sh {a}",
        "/bin/bash -euo pipefail -c cat sh {a} < {b}",
        "/bin/sh -c cat < {a}",
        "/usr/bin/python3 /x.py {a}",
        "/usr/bin/python3 -m tool {a}",
        "/usr/bin/python3 -c print(1) {a}",
        "/usr/bin/perl -ne print -- {a}",
        "/usr/bin/awk -v n={a} 1 /x",
        "/usr/bin/awk 1 {a}",
        "/usr/bin/sed -n 1p {a}",
        "/usr/bin/env LANG=C tool {a}",
        "/usr/bin/nice -n 5 tool {a} < {b}",
        "/usr/bin/timeout 5 python3 /x.py {a}",
        "/usr/bin/sudo -u bob tool {a}",
        "/usr/bin/busybox grep {a}",
        "/usr/bin/ssh host cat_>>_diary < {a}",
        "/usr/bin/ssh -p 22 host tee -a diary < {a}",
        "/usr/bin/docker exec -i c tool {a}",
        "/usr/bin/kubectl exec pod -- tool {a}",
        "/usr/bin/npx -y tool {a}",
        "/usr/bin/find /d -name {a}",
        "/usr/bin/find /d -name {a} -exec sh -c cat sh ;",
        "/usr/bin/git commit -m {a}",
        "/bin/tar -czf {a} /d",
        "/usr/bin/rsync -av {a} /d",
        "/usr/bin/curl -d {a} https://x",
        "/bin/sh -c fixed",
        "/usr/bin/java -jar /x.jar {a}",
        "/usr/bin/ssh host",
        "/bin/sh",
        "/usr/bin/xargs -0 rm < x",
    ] {
        assert!(!refused(call), "{call}");
    }
}

#[test]
fn a_link_to_a_shell_is_one_and_nesting_has_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("run");
    std::os::unix::fs::symlink("/bin/sh", &link).unwrap();
    let text = CallWord { fixed: String::new(), has_text: true };
    assert!(misuse(link.to_str().unwrap(), std::slice::from_ref(&text), false).is_some());
    let mut words: Vec<CallWord> =
        (0..100_000).map(|_| CallWord { fixed: "env".to_owned(), has_text: false }).collect();
    words.push(text);
    assert!(misuse("/usr/bin/env", &words, false).is_some());
}
