//! OpenAI's strict schemas: what is declared, and what becomes of the arguments that a model held to it sends.

mod corpus;
mod invent;
pub(crate) mod model;
mod peers;
mod properties;
pub(crate) mod rules;
