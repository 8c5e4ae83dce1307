//! The values that a request or the rule's text gives, and operators, as calls of the runtime.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::ident;
use super::super::meta::float;
use crate::ir::Plan;
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
        Value::Numeric(value) => {
            let value = self::value(value);
            quote! { rules::Given::numeric(#value) }
        }
        Value::IsSet(of) => modified(":isset", of),
        Value::Length(of) => modified(":length", of),
        Value::Each(of, quantifier) => each(of, *quantifier),
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

/// A plan that the request alone decides, as a `bool`; `None` if it looks at a row.
pub(super) fn without_row(plan: &Plan) -> Option<TokenStream> {
    match plan {
        Plan::Request {
            left,
            op: operator,
            right,
            when,
        } => {
            let (left, right) = (value(left), value(right));
            let (operator, when) = (op(*operator), truth(*when));
            Some(quote! { cx.request(#left, #operator, #right, #when) })
        }
        Plan::All(parts) if parts.is_empty() => Some(quote! { true }),
        Plan::Any(parts) if parts.is_empty() => Some(quote! { false }),
        Plan::All(parts) => {
            let parts = parts.iter().map(operand).collect::<Option<Vec<_>>>()?;
            Some(quote! { #(#parts)&&* })
        }
        Plan::Any(parts) => {
            let parts = parts.iter().map(operand).collect::<Option<Vec<_>>>()?;
            Some(quote! { #(#parts)||* })
        }
        _ => None,
    }
}

fn operand(plan: &Plan) -> Option<TokenStream> {
    let decided = without_row(plan)?;
    match plan {
        Plan::All(_) | Plan::Any(_) => Some(quote! { (#decided) }),
        _ => Some(decided),
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
