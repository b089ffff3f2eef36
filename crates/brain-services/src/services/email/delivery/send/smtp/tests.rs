use super::*;

#[test]
fn what_a_server_says_stands_once() {
    for (said, told) in [
        ("550 no such user here no such user here try again", "550 no such user here try again"),
        ("a b a b a b", "a b"),
        ("421 please please wait", "421 please please wait"),
        ("554 rejected as spam", "554 rejected as spam"),
        ("", ""),
    ] {
        assert_eq!(once(said), told);
    }
    let mut refused = Refusals::default();
    for (address, why) in
        [("a@x.org", "550 <a@x.org>: unknown"), ("b@x.org", "550 <b@x.org>: unknown"), ("c@x.org", "452 full")]
    {
        refused.add(&address.parse().unwrap(), why.to_owned());
    }
    assert_eq!(refused.to_string(), "a@x.org, b@x.org (550 : unknown), c@x.org (452 full)");
}
