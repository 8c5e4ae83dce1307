//! The values that a request or the rule's text gives, and operators, as calls of the runtime.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::ident;
use super::super::meta::float;
use basalt_lang::plan::{Op, Quantifier, Truth, Value};

/// A value. Literals stand as they are.
pub(super) fn value(value: &Value) -> TokenStream {
    match value {
        Value::Null => quote! { rules::Given::null() },
        Value::Bool(bool) => quote! { #bool },
        Value::Number(number) => float(*number),
        Value::Text(text) => quote! { #text },
        Value::Macro(name) => {
            let name = ident::ident(&format!("{name:?}"));
            quote! { cx.macro_value(Macro::#name) }
        }
        Value::Auth(name) => quote! { cx.auth(#name) },
        Value::Body(path) => quote! { cx.body(&[#(#path),*]) },
        Value::Query(name) => quote! { cx.query(#name) },
        Value::Header(name) => quote! { cx.header(#name) },
        Value::Method => quote! { cx.method() },
        Value::Context => quote! { cx.context() },
        Value::Lower(value) => {
            let value = self::value(value);
            quote! { rules::Given::lower(rules::Given::from(#value)) }
        }
        Value::IsSet(of) => modified(":isset", of),
        Value::Length(of) => modified(":length", of),
        Value::Each(of, quantifier) => each(of, *quantifier),
        Value::Changed(name) => refused(&format!(
            "`@request.body.{name}:changed` can only be compared with true or false"
        )),
    }
}

fn modified(modifier: &str, of: &Value) -> TokenStream {
    match (modifier, of) {
        (":isset", Value::Body(path)) => quote! { cx.body_is_set(&[#(#path),*]) },
        (":isset", Value::Query(name)) => quote! { cx.query_is_set(#name) },
        (":isset", Value::Header(name)) => quote! { cx.header_is_set(#name) },
        (":length", Value::Body(path)) => quote! { cx.body_length(&[#(#path),*]) },
        _ => refused(&format!("`{modifier}` can't be used here")),
    }
}

fn each(of: &Value, quantifier: Quantifier) -> TokenStream {
    let quantifier = match quantifier {
        Quantifier::Some => quote! { Quantifier::Some },
        Quantifier::All => quote! { Quantifier::All },
    };
    match of {
        Value::Body(path) => quote! { cx.body_each(&[#(#path),*], #quantifier) },
        _ => refused("`:each` can't be used here"),
    }
}

/// What the planner does not make: should it ever, the build fails rather than the rule.
fn refused(message: &str) -> TokenStream {
    quote! { ::std::compile_error!(#message) }
}

/// An operator.
pub(super) fn op(op: Op) -> TokenStream {
    let name = ident::ident(&format!("{op:?}"));
    quote! { Op::#name }
}

/// A truth value.
pub(super) fn truth(truth: Truth) -> TokenStream {
    match truth {
        Truth::True => quote! { Truth::True },
        Truth::False => quote! { Truth::False },
    }
}
