//! Functions that every call passes through, on raw Node-API: about a third of what the macros cost. Each is a JavaScript
//! function with Rust data of its own, made once per session or gate; everything else goes through the macros.
//!
//! # Safety
//! This is the only file with `unsafe`, and it is all of one kind: calling Node-API with what Node handed in.
//! - `env` and values are used only while the call that brought them lasts, on its thread; none is kept.
//! - A function's data is a `Box<H>` that is leaked when the function is made and owned by its finalizer, which Node runs
//!   once, when the function can't be called any more. Node hands it to [`enter`] of the same `H` and to nobody else.
//!   JavaScript never sees it, so it can't bring a wrong one. Calls share it (`&H`): `H` changes nothing without a lock.
//! - Texts are written into buffers of ours, whose lengths Node is told. Of one that nothing was written to before, the bytes
//!   are read that Node says it wrote, and no others.
//! - No panic crosses into C: what runs inside is caught.

#![expect(unsafe_code, reason = "Node-API is a C interface; what makes it safe stands above")]

use std::ffi::{CStr, CString, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use napi::bindgen_prelude::{FromNapiValue, Unknown};
use napi::{Env, Status, sys};

use super::misuse;
use super::outbox::Letters;

/// A function of JavaScript's with data of its own.
pub(super) trait Hot: Send + Sync + 'static {
    /// What stack traces call it.
    const NAME: &'static CStr;

    /// # Errors
    /// What the caller is told it did wrong, as an exception.
    fn call(&self, given: &Given) -> Result<Letters, &'static str>;
}

/// How many arguments a function reads at most.
const MOST_GIVEN: usize = 5;

/// What a function is called with.
pub(super) struct Given {
    env: sys::napi_env,
    values: [sys::napi_value; MOST_GIVEN],
}

impl Given {
    pub(super) fn number(&self, place: usize) -> Option<f64> {
        let mut number = 0.0;
        let status = unsafe { sys::napi_get_value_double(self.env, *self.values.get(place)?, &raw mut number) };
        (status == sys::Status::napi_ok).then_some(number)
    }

    /// A string; none where it is no string. Half characters become U+FFFD.
    pub(super) fn text(&self, place: usize) -> Option<String> {
        text(self.env, *self.values.get(place)?)
    }
}

/// Most texts are short: read in one go, into a buffer on the stack, without asking for their length first.
const SHORT: usize = 1024;
/// A character takes at most as many bytes. Where fewer were left in the buffer, there may have been one more.
const WIDEST: usize = 4;

fn text(env: sys::napi_env, value: sys::napi_value) -> Option<String> {
    let mut short = MaybeUninit::<[u8; SHORT]>::uninit();
    let start: *mut u8 = short.as_mut_ptr().cast();
    let written = read(env, value, start, SHORT)?;
    if written + WIDEST < SHORT {
        let bytes = unsafe { slice::from_raw_parts(start, written) };
        return String::from_utf8(bytes.to_vec()).ok();
    }
    let units = units(env, value)?;
    // Text in ASCII has as many bytes as units, and is copied as it is; counting its bytes first would take longer.
    let mut bytes = vec![0_u8; units + 1];
    let written = read(env, value, bytes.as_mut_ptr(), bytes.len())?;
    if written == units && bytes.is_ascii() {
        bytes.truncate(written);
        return String::from_utf8(bytes).ok();
    }
    unsafe { String::from_napi_value(env, value) }.ok()
}

/// Writes a string's UTF-8 to `start`, as many characters as there is room for, and a zero; tells how many bytes.
fn read(env: sys::napi_env, value: sys::napi_value, start: *mut u8, room: usize) -> Option<usize> {
    let mut written = 0;
    let status = unsafe { sys::napi_get_value_string_utf8(env, value, start.cast(), room, &raw mut written) };
    (status == sys::Status::napi_ok).then_some(written)
}

/// A string's length in UTF-16 units, which JavaScript knows without looking.
fn units(env: sys::napi_env, value: sys::napi_value) -> Option<usize> {
    let mut units = 0;
    let status = unsafe { sys::napi_get_value_string_latin1(env, value, ptr::null_mut(), 0, &raw mut units) };
    (status == sys::Status::napi_ok).then_some(units)
}

/// The JavaScript function of `hot`.
pub(super) fn function<H: Hot>(env: &Env, hot: H) -> napi::Result<Unknown<'static>> {
    let env = env.raw();
    let data: *mut c_void = Box::into_raw(Box::new(hot)).cast();
    let mut function = ptr::null_mut();
    let made =
        unsafe { sys::napi_create_function(env, H::NAME.as_ptr(), -1, Some(enter::<H>), data, &raw mut function) };
    if made != sys::Status::napi_ok {
        unsafe { release::<H>(env, data, ptr::null_mut()) };
        return Err(misuse("no function could be made"));
    }
    let owned =
        unsafe { sys::napi_add_finalizer(env, function, data, Some(release::<H>), ptr::null_mut(), ptr::null_mut()) };
    if owned != sys::Status::napi_ok {
        // Nothing would free the data; the function is not handed out, so nothing reads it either.
        unsafe { release::<H>(env, data, ptr::null_mut()) };
        return Err(misuse("no function could be made"));
    }
    Ok(unsafe { Unknown::from_raw_unchecked(env, function) })
}

unsafe extern "C" fn release<H: Hot>(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(data.cast::<H>()) })));
}

unsafe extern "C" fn enter<H: Hot>(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let done = catch_unwind(AssertUnwindSafe(|| {
        let mut given = Given { env, values: [ptr::null_mut(); MOST_GIVEN] };
        let (mut count, mut data) = (MOST_GIVEN, ptr::null_mut());
        let values = given.values.as_mut_ptr();
        let status =
            unsafe { sys::napi_get_cb_info(env, info, &raw mut count, values, ptr::null_mut(), &raw mut data) };
        if status != sys::Status::napi_ok || data.is_null() {
            return Err("it was called in a way that Node does not know");
        }
        let letters = unsafe { &*data.cast::<H>() }.call(&given)?;
        Ok(letters.map_or_else(|| null(env), |text| string(env, &text)))
    }));
    match done {
        Ok(Ok(value)) => value,
        Ok(Err(misuse)) => throw(env, misuse),
        Err(_) => throw(env, "the gate failed unexpectedly"),
    }
}

fn null(env: sys::napi_env) -> sys::napi_value {
    let mut value = ptr::null_mut();
    // Where there is no null there is no pointer either, which JavaScript reads as undefined.
    let _ = unsafe { sys::napi_get_null(env, &raw mut value) };
    value
}

/// A string of JavaScript's. ASCII needs no decoding.
fn string(env: sys::napi_env, text: &str) -> sys::napi_value {
    let Ok(length) = isize::try_from(text.len()) else { return throw(env, "a text is too long") };
    let mut value = ptr::null_mut();
    let status = if text.is_ascii() {
        unsafe { sys::napi_create_string_latin1(env, text.as_ptr().cast(), length, &raw mut value) }
    } else {
        unsafe { sys::napi_create_string_utf8(env, text.as_ptr().cast(), length, &raw mut value) }
    };
    if status == sys::Status::napi_ok { value } else { throw(env, "a text is too long") }
}

/// Throws when the native call returns; what it returns is not looked at then.
fn throw(env: sys::napi_env, message: &str) -> sys::napi_value {
    let message = CString::new(message).unwrap_or_default();
    let code = CString::new(Status::InvalidArg.as_ref()).unwrap_or_default();
    unsafe { sys::napi_throw_error(env, code.as_ptr(), message.as_ptr()) };
    ptr::null_mut()
}
