//! The store of a gate, whichever it is.

use std::future::ready;
use std::ops::Deref;
use std::sync::Arc;

use futures_util::future::Either;

use super::memory::MemoryStore;
use super::operation::{Answer, Operation, Request, StoreRequests, by_operation};
use crate::store::api::Store;
use crate::store::error::StoreError;

/// A store, whichever it is. The memory store has a name here, since what is asked of it need not become one of all operations.
#[derive(Clone)]
pub enum AnyStore {
    /// Sessions in this process.
    Memory(Arc<MemoryStore>),
    /// Any other place.
    Other(Arc<dyn Store>),
}

impl AnyStore {
    /// A store that is not the one in memory.
    pub fn other(store: impl Store) -> Self {
        Self::Other(Arc::new(store))
    }
}

impl Default for AnyStore {
    fn default() -> Self {
        MemoryStore::default().into()
    }
}

impl From<MemoryStore> for AnyStore {
    fn from(store: MemoryStore) -> Self {
        Self::Memory(Arc::new(store))
    }
}

impl Deref for AnyStore {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Memory(store) => &**store,
            Self::Other(store) => &**store,
        }
    }
}

#[expect(private_bounds, private_interfaces, reason = "the requests are those of the list: no other room makes one")]
impl StoreRequests for AnyStore {
    fn operate(&self, operation: Operation) -> impl Future<Output = Result<Answer, StoreError>> + Send {
        self.perform(operation)
    }

    /// In memory it is done here, where its type is known: as one of all operations and answers it would be moved several times.
    fn request<R: Request>(&self, request: R) -> impl Future<Output = Result<R::Answer, StoreError>> + Send {
        match self {
            Self::Memory(store) => Either::Left(ready(store.request(request))),
            Self::Other(store) => Either::Right(by_operation(store.perform(request.into_operation()), R::read)),
        }
    }
}

impl<S: Store + ?Sized> StoreRequests for S {
    fn operate(&self, operation: Operation) -> impl Future<Output = Result<Answer, StoreError>> + Send {
        self.perform(operation)
    }
}
