//! Another client changes things between the card and the yes: never written over, never doubled, told and asked again.

use crate::real_calendar::world::{DENTIST, SERVERS, World};
use crate::support::program::{button, did, text_of};

#[test]
fn what_changed_there_after_the_card_is_left_and_the_difference_is_shown() {
    let moved = DENTIST.replace("T140000Z", "T120000Z").replace("T143000Z", "T123000Z");
    for server in SERVERS {
        for change in ["changed", "gone", "recreated"] {
            let world = World::new(server);
            let href = world.other.put("Personal", "dentist.ics", DENTIST);
            let mut console = world.knows("what's on my calendar on January 15 2030?", "Dentist");
            let card = console.say("move the dentist to 4pm");
            match change {
                "gone" => world.other.delete(&href),
                "recreated" => {
                    world.other.delete(&href);
                    world.other.put("Personal", "dentist.ics", &moved);
                }
                _ => {
                    world.other.put("Personal", "dentist.ics", &moved);
                }
            }
            let there = world.texts("Personal");
            let told = console.press(&button(&card, "approve"));
            assert_eq!(did(&told), ["calendar.update_event failed"], "{server:?} {change}: {}", text_of(&told));
            assert!(text_of(&told).contains("changed meanwhile"), "{server:?} {change}: {}", text_of(&told));
            assert_eq!(world.texts("Personal"), there, "{server:?} {change}: nothing was written");
            if change != "gone" {
                let again = console.say("move the dentist to 4pm");
                assert!(text_of(&again).contains("13:00"), "{server:?}, as it is there now: {}", text_of(&again));
                let told = console.press(&button(&again, "approve"));
                assert_eq!(did(&told), ["calendar.update_event succeeded"], "{server:?}: {}", text_of(&told));
                assert_eq!(world.texts("Personal").len(), 1, "{server:?}: never doubled");
            }
            console.finish();
        }
    }
}
