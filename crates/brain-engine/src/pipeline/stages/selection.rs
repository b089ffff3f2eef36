//! What a model made of a message when it was routed in steps.

use serde::Deserialize;

/// What a message is, as a model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeechAct {
    Order,
    Question,
    Remark,
}

/// One command that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedCommand {
    pub service: String,
    pub command: String,
    /// The words of the message that it covers.
    pub words: String,
    /// The places of those before it.
    pub after: Vec<usize>,
    /// From which round of the turn its parameters can be filled in: later than what is looked up for it.
    pub round: usize,
}

/// What a model made of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub said: SpeechAct,
    /// In the order in which they were asked for.
    pub commands: Vec<SelectedCommand>,
    /// There is more of it, in other rounds.
    pub is_part: bool,
}

impl SelectedCommand {
    /// One that waits for nothing.
    pub fn new(service: &str, command: &str, words: String) -> Self {
        let (service, command) = (service.to_owned(), command.to_owned());
        Self { service, command, words, after: Vec::new(), round: 0 }
    }

    /// Whether it is this one, wherever it stands.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.service, &self.command, &self.words) == (&other.service, &other.command, &other.words)
    }
}

impl Selection {
    /// All of it.
    pub fn new(said: SpeechAct, commands: Vec<SelectedCommand>) -> Self {
        Self { said, commands, is_part: false }
    }

    /// What is planned in a round of the turn; nothing where that has no command of its own, but in the first.
    pub fn of_round(&self, round: usize) -> Option<Self> {
        let places: Vec<usize> = (0..self.commands.len()).filter(|&at| self.commands[at].round == round).collect();
        let commands = places.iter().map(|&at| {
            let command = self.commands[at].clone();
            let after = command.after.iter().filter_map(|on| places.iter().position(|place| place == on));
            SelectedCommand { after: after.collect(), ..command }
        });
        let commands: Vec<SelectedCommand> = commands.collect();
        let is_part = commands.len() < self.commands.len();
        (round == 0 || !commands.is_empty()).then_some(Self { said: self.said, commands, is_part })
    }

    /// What has to have succeeded before a round begins.
    pub fn before(&self, round: usize) -> impl Iterator<Item = &SelectedCommand> {
        let of_it = self.commands.iter().filter(move |command| command.round == round);
        of_it.flat_map(|command| &command.after).filter_map(|&on| self.commands.get(on))
    }

    /// The words of the commands from a round on.
    pub fn words_from(&self, round: usize) -> Vec<&str> {
        self.commands.iter().filter(|command| command.round >= round).map(|command| command.words.as_str()).collect()
    }
}
