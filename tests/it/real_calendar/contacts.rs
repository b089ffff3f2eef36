//! People of an address book elsewhere: found by what it says, and changed there by single lines.

use crate::real_calendar::world::{SERVERS, World, until};
use crate::support::program::{did, text_of};

const TOM: &str = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:tom\r\nFN:Tom Berger\r\nN:Berger;Tom;;;\r\nEMAIL;TYPE=WORK:tom@work.example\r\n\
    BDAY:1980-02-03\r\nX-OTHER;A=b:kept as it is\r\nPHOTO;ENCODING=b;TYPE=PNG:iVBORw0KGgo=\r\nEND:VCARD\r\n";

fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.retain(|line| !line.starts_with("REV"));
    lines.sort();
    lines
}

#[test]
fn where_an_account_has_no_address_book_people_are_saved_here() {
    let world = World::new(SERVERS[0]);
    world.other.remove_collection("Contacts");
    let mut console = world.console();
    until(&mut console, "/status", "address books: read");
    let saved = console.say("save Vera Lind, vera@lind.example");
    assert_eq!(did(&saved), ["contacts.save succeeded"], "{}", text_of(&saved));
    console.finish();
}

#[test]
fn somebody_of_the_address_book_is_found_and_completed_there() {
    for server in SERVERS {
        let world = World::new(server);
        world.other.put("Contacts", "tom.vcf", TOM);
        let mut console = world.console();
        until(&mut console, "what is Tom Berger's email address?", "tom@work.example");
        let before = world.text("Contacts", "UID:tom");
        let saved = console.say("save Tom Berger's number: 555 0100");
        assert_eq!(did(&saved), ["contacts.save succeeded"], "{server:?}: {}", text_of(&saved));
        let after = world.text("Contacts", "UID:tom");
        let new: Vec<String> = lines(&after).into_iter().filter(|line| !lines(&before).contains(line)).collect();
        assert!(new.len() == 1 && new[0].starts_with("TEL") && new[0].contains("555 0100"), "{server:?}: {new:?}");
        let gone: Vec<String> = lines(&before).into_iter().filter(|line| !lines(&after).contains(line)).collect();
        assert_eq!(gone, Vec::<String>::new(), "{server:?}");
        let made = console.say("save Vera Lind, vera@lind.example");
        assert_eq!(did(&made), ["contacts.save succeeded"], "{server:?}: {}", text_of(&made));
        let texts = world.texts("Contacts");
        assert_eq!(texts.iter().filter(|text| text.contains("vera@lind.example")).count(), 1, "{server:?}: {texts:?}");
        let back = console.say("undo that");
        assert!(text_of(&back).contains("Taken back"), "{server:?}: {}", text_of(&back));
        assert_eq!(world.texts("Contacts").len(), 1, "{server:?}");
        console.finish();
    }
}
