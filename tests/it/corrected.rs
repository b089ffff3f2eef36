//! What was kept last is put right in a word: the value that is shaped like the new one, without a model.

use brain_agent::core::button::Role;

use crate::rig::{Rig, Setup};

fn rig() -> Rig {
    Rig::new(Setup { grounds_plans: true, model: false, ..Setup::default() })
}

#[tokio::test]
async fn another_value_behind_a_correction_takes_the_place_of_the_one_like_it() {
    for (kept, said, told) in [
        ("note: the door code is 4712", "no, it's 4713", "The door code is 4713"),
        ("note: the door code is 4712", "sorry, 4713", "The door code is 4713"),
        ("note: the door code is 4712", "oops, it's 4713", "The door code is 4713"),
        ("note: the rent is 900 euros", "sorry, 950", "The rent is 950 euros"),
        ("note: the plumber is at 0151 234567", "no, it's 0151 234568", "The plumber is at 0151 234568"),
        ("note: the shop opens at 9am", "no, 10am", "The shop opens at 10am"),
        ("make a shopping list with 3 eggs and milk", "sorry, 4", "3 eggs → 4 eggs"),
        ("remember that my locker code is 4711", "no, it's 4712", "4712"),
    ] {
        let rig = rig();
        rig.says(kept).await;
        let changed = rig.says(said).await;
        assert!(changed.did()[0].ends_with(" succeeded"), "{kept}, {said}: {:?} {}", changed.did(), changed.text());
        assert!(changed.text().contains(told), "{kept}, {said}: {}", changed.text());
        let again = rig.says("show my notes").await.text() + &rig.says("/memory").await.text();
        let (new, old) = (told.rsplit(" → ").next().unwrap(), kept.rsplit(": ").next().unwrap());
        assert!(again.to_lowercase().contains(&new.to_lowercase()), "{kept}, {said}: {again}");
        assert!(!again.contains(old), "{kept}, {said}: {again}");
    }
}

#[tokio::test]
async fn what_was_put_right_can_be_taken_back_and_put_right_again() {
    let rig = rig();
    rig.says("note: the door code is 4712").await;
    rig.says("no, it's 4713").await;
    let again = rig.says("sorry, 4714").await;
    assert!(again.text().contains("The door code is 4714 (was 4713)"), "{}", again.text());
    rig.presses(&again.button(Role::Undo).unwrap()).await;
    let kept = rig.says("show my notes").await.text();
    assert!(kept.contains("4713") && !kept.contains("4714"), "{kept}");
}

#[tokio::test]
async fn a_value_without_its_like_or_with_several_changes_nothing() {
    for (kept, said) in [
        ("note: the door code is 4712", "no, it's blue"),
        ("note: the door code is 4712", "4713"),
        ("note: the door code is 4712", "no, it's 4713 or so I think"),
        ("note: open from 9 to 5", "sorry, 6"),
        ("note: the door is green", "no, it's 4713"),
        ("note: the door code is 4712", "no, leave it"),
    ] {
        let rig = rig();
        rig.says(kept).await;
        let answer = rig.says(said).await;
        assert!(answer.did().iter().all(|done| !done.ends_with(" succeeded")), "{kept}, {said}: {:?}", answer.did());
        let again = rig.says("show my notes").await.text();
        assert!(!again.contains("4713"), "{kept}, {said}: {again}");
    }
    // Something else was done since.
    let rig = rig();
    rig.says("note: the door code is 4712").await;
    rig.says("what's on my calendar tomorrow?").await;
    rig.says("sorry, 4713").await;
    assert!(rig.says("show my notes").await.text().contains("4712"));
}
