//! Functions on raw Node-API, for the two functions that every call uses: about a third of the cost of the macros. Each
//! is a JavaScript function with its own Rust data, created once per session or gate. All other functions use the
//! macros.
//!
//! # Safety
//! All `unsafe` here calls Node-API with values from Node.
//! - `env` and values are used only during the call that passed them, on its thread; none is kept.
//! - A function's data is a `Box<H>` that is leaked when the function is created and owned by its finalizer, which Node
//!   runs once, when the function can't be called any more. Node passes it only to [`enter`] of the same `H`.
//!   JavaScript has no access to it, so it can't pass a wrong pointer. Calls share it (`&H`): `H` changes nothing
//!   without a lock.
//! - Strings are written into buffers of this file, whose lengths are passed to Node. Of an uninitialized buffer, only
//!   the bytes that Node reports as written are read.
//! - No panic crosses into C: panics inside are caught.

#![expect(unsafe_code, reason = "Node-API is a C interface; the safety argument is above")]

use std::ffi::{CStr, CString, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use napi::bindgen_prelude::{FromNapiValue, Unknown};
use napi::{Env, Status, sys};

use super::messages::EncodedMessages;
use super::misuse;

/// A JavaScript function implemented in Rust, with its own data.
pub(super) trait RawFunction: Send + Sync + 'static {
    /// The function's name in stack traces.
    const NAME: &'static CStr;

    /// Runs the function.
    ///
    /// # Errors
    /// The caller's misuse, thrown as an exception.
    fn call(&self, arguments: &RawArguments) -> Result<EncodedMessages, &'static str>;
}

/// The maximum of arguments that a function reads.
const MAX_ARGUMENTS: usize = 8;

/// The arguments of a call.
pub(super) struct RawArguments {
    env: sys::napi_env,
    values: [sys::napi_value; MAX_ARGUMENTS],
}

impl RawArguments {
    pub(super) fn number(&self, place: usize) -> Option<f64> {
        let mut number = 0.0;
        let status = unsafe { sys::napi_get_value_double(self.env, *self.values.get(place)?, &raw mut number) };
        (status == sys::Status::napi_ok).then_some(number)
    }

    /// A string argument; `None` if it is not a string. Lone surrogates become U+FFFD.
    pub(super) fn text(&self, place: usize) -> Option<String> {
        read_string(self.env, *self.values.get(place)?)
    }
}

/// The size of the stack buffer. Most strings fit, and are read without querying their length first.
const STACK_BUFFER_BYTES: usize = 1024;
/// The maximum of bytes per character. If fewer are left in the buffer, the string may be truncated.
const MAX_CHAR_BYTES: usize = 4;

fn read_string(env: sys::napi_env, value: sys::napi_value) -> Option<String> {
    let mut short = MaybeUninit::<[u8; STACK_BUFFER_BYTES]>::uninit();
    let start: *mut u8 = short.as_mut_ptr().cast();
    let written = read_utf8(env, value, start, STACK_BUFFER_BYTES)?;
    if written + MAX_CHAR_BYTES < STACK_BUFFER_BYTES {
        let bytes = unsafe { slice::from_raw_parts(start, written) };
        return String::from_utf8(bytes.to_vec()).ok();
    }
    let units = utf16_len(env, value)?;
    // ASCII text has as many bytes as UTF-16 units and is copied unchanged; counting its bytes first would be slower.
    let mut bytes = vec![0_u8; units + 1];
    let written = read_utf8(env, value, bytes.as_mut_ptr(), bytes.len())?;
    if written == units && bytes.is_ascii() {
        bytes.truncate(written);
        return String::from_utf8(bytes).ok();
    }
    unsafe { String::from_napi_value(env, value) }.ok()
}

/// Writes a string's UTF-8 to `start`, as many whole characters as fit, and a zero. Returns the bytes written without
/// it.
fn read_utf8(env: sys::napi_env, value: sys::napi_value, start: *mut u8, room: usize) -> Option<usize> {
    let mut written = 0;
    let status = unsafe { sys::napi_get_value_string_utf8(env, value, start.cast(), room, &raw mut written) };
    (status == sys::Status::napi_ok).then_some(written)
}

/// A string's length in UTF-16 units, which V8 stores.
fn utf16_len(env: sys::napi_env, value: sys::napi_value) -> Option<usize> {
    let mut units = 0;
    let status = unsafe { sys::napi_get_value_string_latin1(env, value, ptr::null_mut(), 0, &raw mut units) };
    (status == sys::Status::napi_ok).then_some(units)
}

/// Creates the JavaScript function of `native_function`.
pub(super) fn create_function<H: RawFunction>(env: &Env, native_function: H) -> napi::Result<Unknown<'static>> {
    let env = env.raw();
    let data: *mut c_void = Box::into_raw(Box::new(native_function)).cast();
    let mut function = ptr::null_mut();
    let made = unsafe {
        sys::napi_create_function(env, H::NAME.as_ptr(), -1, Some(call_native::<H>), data, &raw mut function)
    };
    if made != sys::Status::napi_ok {
        unsafe { drop_data::<H>(env, data, ptr::null_mut()) };
        return Err(misuse("no function could be made"));
    }
    let owned =
        unsafe { sys::napi_add_finalizer(env, function, data, Some(drop_data::<H>), ptr::null_mut(), ptr::null_mut()) };
    if owned != sys::Status::napi_ok {
        // No finalizer frees the data; the function is not returned, so it can't be called either.
        unsafe { drop_data::<H>(env, data, ptr::null_mut()) };
        return Err(misuse("no function could be made"));
    }
    Ok(unsafe { Unknown::from_raw_unchecked(env, function) })
}

unsafe extern "C" fn drop_data<H: RawFunction>(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(data.cast::<H>()) })));
}

unsafe extern "C" fn call_native<H: RawFunction>(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let done = catch_unwind(AssertUnwindSafe(|| {
        let mut arguments = RawArguments { env, values: [ptr::null_mut(); MAX_ARGUMENTS] };
        let (mut count, mut data) = (MAX_ARGUMENTS, ptr::null_mut());
        let values = arguments.values.as_mut_ptr();
        let status =
            unsafe { sys::napi_get_cb_info(env, info, &raw mut count, values, ptr::null_mut(), &raw mut data) };
        if status != sys::Status::napi_ok || data.is_null() {
            return Err("the arguments can't be read");
        }
        let messages = unsafe { &*data.cast::<H>() }.call(&arguments)?;
        Ok(messages.map_or_else(|| js_null(env), |text| js_string(env, &text)))
    }));
    match done {
        Ok(Ok(value)) => value,
        Ok(Err(misuse)) => throw_error(env, misuse),
        Err(_) => throw_error(env, "the gate failed unexpectedly"),
    }
}

fn js_null(env: sys::napi_env) -> sys::napi_value {
    let mut value = ptr::null_mut();
    // On failure the pointer stays null, which JavaScript receives as undefined.
    let _ = unsafe { sys::napi_get_null(env, &raw mut value) };
    value
}

/// Creates a JavaScript string. ASCII needs no decoding.
fn js_string(env: sys::napi_env, text: &str) -> sys::napi_value {
    let Ok(length) = isize::try_from(text.len()) else { return throw_error(env, "a text is too long") };
    let mut value = ptr::null_mut();
    let status = if text.is_ascii() {
        unsafe { sys::napi_create_string_latin1(env, text.as_ptr().cast(), length, &raw mut value) }
    } else {
        unsafe { sys::napi_create_string_utf8(env, text.as_ptr().cast(), length, &raw mut value) }
    };
    if status == sys::Status::napi_ok { value } else { throw_error(env, "a text is too long") }
}

/// Throws when the native call returns; its return value is ignored.
fn throw_error(env: sys::napi_env, message: &str) -> sys::napi_value {
    let message = CString::new(message).unwrap_or_default();
    let code = CString::new(Status::InvalidArg.as_ref()).unwrap_or_default();
    unsafe { sys::napi_throw_error(env, code.as_ptr(), message.as_ptr()) };
    ptr::null_mut()
}
