//! `docs/diagnostics.md` says what the compiler does: a section for each code, and examples that give what is printed.

mod examples;
mod page;

use toolgate::compile::Code;

use page::Page;

#[test]
fn every_code_has_a_row_and_a_section_and_there_are_no_more() {
    let page = Page::read();
    let codes: Vec<(String, String)> =
        Code::ALL.iter().map(|code| (code.to_string(), code.severity().as_str().to_owned())).collect();
    assert_eq!(page.index, codes);
    let sections: Vec<(String, String)> = page
        .sections
        .iter()
        .map(|section| {
            let bold = section.severity.split("**").nth(1).unwrap_or_default();
            (section.code.clone(), bold.to_lowercase())
        })
        .collect();
    assert_eq!(sections, codes);
}
