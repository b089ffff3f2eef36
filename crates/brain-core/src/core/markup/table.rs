//! Tables as text: columns stand under each other in a font of one width; what is too wide for a phone
//! becomes a line a row.

use pulldown_cmark::Alignment;
use unicode_width::UnicodeWidthStr;

/// Columns of characters that a phone shows without breaking the line, roughly.
const COLUMNS_MAX: usize = 60;

/// A table being read: its first row is the head.
#[derive(Debug, Default)]
pub(super) struct MarkupTable {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<String>>,
}

/// How a table is best shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    /// In a font of one width.
    Grid(String),
    /// In any font.
    Lines(String),
}

impl MarkupTable {
    pub fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    pub fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub fn add(&mut self, cell: &str) {
        let cell = cell.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    pub fn draw(&self) -> Drawn {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        if widths.iter().sum::<usize>() + 3 * columns.saturating_sub(1) > COLUMNS_MAX {
            return Drawn::Lines(self.lines());
        }
        let mut lines: Vec<String> = self.rows.iter().map(|row| self.line(row, &widths)).collect();
        if lines.len() > 1 {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.insert(1, rule.join("─┼─"));
        }
        Drawn::Grid(lines.join("\n"))
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cells = widths.iter().enumerate().map(|(column, width)| {
            let cell = row.get(column).map_or("", String::as_str);
            let room = width.saturating_sub(cell.width());
            let left = match self.alignments.get(column) {
                Some(Alignment::Right) => room,
                Some(Alignment::Center) => room / 2,
                Some(Alignment::None | Alignment::Left) | None => 0,
            };
            format!("{}{cell}{}", " ".repeat(left), " ".repeat(room - left))
        });
        cells.collect::<Vec<_>>().join(" │ ").trim_end().to_owned()
    }

    /// `• first — head: cell; head: cell`.
    fn lines(&self) -> String {
        let Some((head, rows)) = self.rows.split_first() else { return String::new() };
        if rows.is_empty() {
            return head.join(" │ ");
        }
        let cell = |(column, cell): (usize, &String)| match head.get(column).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name}: {cell}"),
            None => cell.clone(),
        };
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().enumerate().filter(|(_, c)| !c.is_empty()).map(cell).collect();
            format!("• {}", cells.join("; "))
        };
        rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
