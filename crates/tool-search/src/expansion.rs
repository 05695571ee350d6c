//! Everyday synonyms: "buy" and "film" in a query for "purchase" and "movie" in a tool.

use std::collections::HashMap;

use crate::tokens::TermReader;

/// Groups of words, one group a line; a word's synonyms are the others of all its groups.
const GROUPS: &str = "\
movie film cinema
buy purchase order shop
calculate compute determine evaluate
convert transform translate
estimate predict forecast
retrieve fetch get obtain read load
find search locate lookup query
show display list view
give provide
nearby near close nearest
create make add generate new build compose
write draft compose
save store write
delete remove erase clear forget discard
update modify change edit set adjust rename patch
move transfer relocate
send transfer deliver
copy clone duplicate fork
start begin launch open run execute
stop end finish close terminate cancel quit
pause suspend stop
cancel abort
check verify validate test assert
choose select pick
click press tap hit push
type enter input fill
capture screenshot take
compare difference diff
merge combine join
split divide
upload import
download export
install setup
connect link
invite add member
share publish
subscribe follow watch
approve accept confirm
reject decline deny
comment note remark
reply answer respond
ask question query
explain describe
details information info data
summary overview
rate review rating score
picture image photo screenshot
video clip movie
audio sound
song music track album
folder directory
file document
page site website web
url link address
phone mobile device smartphone
computer pc machine
user member person people
account profile
team group organization
company firm business organization
customer client contact
employee worker staff
password credential secret token
vulnerability security advisory
bug issue problem defect
error exception failure
task todo job
history log activity
recent latest last newest
current currently today now
log logs
repository repo project
label tag
message text chat
email mail
notification alert
reminder alarm
meeting appointment event
schedule calendar
book reserve schedule booking reservation
ticket seat booking
job occupation profession career
car vehicle automobile auto
train rail railway
bus coach
flight plane airline
trip travel journey
route direction path
taxi cab ride uber
price cost fare fee
money cash payment pay fund
rent hire rental
loan mortgage credit
stock share
invoice bill
doctor physician dentist therapist
house home property apartment
hotel accommodation lodging stay
restaurant eatery diner cafe dining
food meal dish
recipe cook cooking
attraction sight sightseeing landmark museum
concert gig show event
city town
place location position
country nation
weather temperature forecast climate
height elevation altitude
weight mass
size dimension
speed velocity
distance length
area surface
average mean
sum total add plus
number count amount quantity
probability chance odds likelihood
king queen monarch ruler
history historical past
lawsuit litigation court legal
director directed
actor cast starring star acted
author writer
game match
player athlete
hairdresser stylist salon haircut
language translation
";

/// The synonyms of stemmed terms.
pub(crate) struct Synonyms {
    by_term: HashMap<String, Vec<String>>,
}

impl Synonyms {
    pub(crate) fn new(reader: &TermReader) -> Self {
        let mut by_term: HashMap<String, Vec<String>> = HashMap::new();
        for group in GROUPS.lines() {
            let terms: Vec<String> = group.split(' ').map(|word| reader.stem(word)).collect();
            for term in &terms {
                let others = by_term.entry(term.clone()).or_default();
                for other in &terms {
                    if other != term && !others.contains(other) {
                        others.push(other.clone());
                    }
                }
            }
        }
        Self { by_term }
    }

    /// The synonyms of a stemmed term.
    pub(crate) fn for_term(&self, term: &str) -> &[String] {
        self.by_term.get(term).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_words_synonyms_are_stemmed() {
        let reader = TermReader::new();
        let synonyms = Synonyms::new(&reader);
        assert_eq!(synonyms.for_term(&reader.stem("films")), ["movi", "cinema"]);
        assert_eq!(synonyms.for_term(&reader.stem("logs")), ["histori", "activ"]);
        assert!(synonyms.for_term("zeppelin").is_empty());
    }
}
