//! What services keep here of accounts elsewhere follows those accounts, in its own time.

use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use brain_core::core::ids::UserId;
use brain_engine::pipeline::brain::Brain;

/// Follows the accounts of `people` and of everybody who takes a turn, until it is told to stop.
pub async fn follow(brain: &Brain, people: &[UserId], stop: &CancellationToken) {
    let services = brain.services.now();
    let mirrors: Vec<_> = services.iter().filter_map(|registration| registration.service.mirroring()).collect();
    let serve = |person: &UserId| mirrors.iter().for_each(|mirror| mirror.serves(person));
    people.iter().chain(brain.policy.first_admin.get()).for_each(serve);
    join_all(mirrors.iter().map(|mirror| mirror.follow(brain, stop))).await;
}
