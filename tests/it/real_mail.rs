//! Mail on real servers: what a person's account holds and what the program keeps of it, seen by other programs.

mod borders;
mod certificates;
mod changes;
mod first_run;
mod meanwhile;
mod older;
mod sent;
mod servers;
mod synchronised;
mod tokens;
mod unsteady;
mod world;
