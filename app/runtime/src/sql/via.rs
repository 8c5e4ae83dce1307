//! Conditions through relations: the typed sub-selects that generated code asks for by macro.
//! Macros, because Diesel's bounds for sub-selects cannot be written generically over tables.

/// A condition through a single relation to another collection:
/// `via_one!(form, inner, holds, posts::author => users)` where `posts` and `users` are modules
/// made by `diesel::table!`.
#[macro_export]
macro_rules! via_one {
    ($form:expr, $inner:expr, $holds:expr, $table:ident :: $column:ident => $target:ident) => {{
        use $crate::diesel::prelude::*;
        use $crate::sql::predicate::{Predicate, untrue};
        use $crate::sql::{Form, outer::Outer};
        let (form, holds) = $form.turned($holds);
        match ($inner, holds) {
            (Predicate::Never, false) if $form == Form::Rest => {
                Predicate::When(Box::new($table::$column.is_not_null().nullable()))
            }
            (Predicate::Always, false) if $form == Form::Rest => Predicate::Never,
            (Predicate::Never, holds) => Predicate::from(!holds),
            (Predicate::Always, true) => {
                Predicate::When(Box::new($table::$column.is_not_null().nullable()))
            }
            (Predicate::Always, false) => {
                Predicate::When(Box::new($table::$column.is_null().nullable()))
            }
            // An index finds those that point to others, but not those that don't point to some.
            (Predicate::When(inner), false) if $form == Form::Rest => {
                let others = $target::table.into_boxed().select($target::id.nullable());
                let others = others.filter(untrue(inner));
                Predicate::When(Box::new($table::$column.eq_any(others)))
            }
            (Predicate::When(inner), holds) => {
                let targets = $target::table.into_boxed().select($target::id.nullable());
                Predicate::When(match (form, holds) {
                    (Form::In, true) => Box::new($table::$column.eq_any(targets.filter(inner))),
                    (Form::In, false) => Box::new(
                        $table::$column
                            .is_null()
                            .nullable()
                            .or($table::$column.ne_all(targets.filter(inner))),
                    ),
                    (_, holds) => {
                        let found = $crate::diesel::dsl::exists(
                            targets
                                .filter(Outer($table::$column).eq($target::id.nullable()))
                                .filter(inner),
                        );
                        if holds {
                            Box::new(found.nullable())
                        } else {
                            Box::new($crate::diesel::dsl::not(found).nullable())
                        }
                    }
                })
            }
        }
    }};
}

/// A condition through a single relation to the same collection (always `IN`, see [`super::outer`]).
#[macro_export]
macro_rules! via_self {
    ($form:expr, $inner:expr, $holds:expr, $table:ident :: $column:ident) => {{
        use $crate::diesel::prelude::*;
        use $crate::sql::predicate::Predicate;
        let (_, holds) = $form.turned($holds);
        match ($inner, holds) {
            (Predicate::Never, holds) => Predicate::from(!holds),
            (Predicate::Always, true) => {
                Predicate::When(Box::new($table::$column.is_not_null().nullable()))
            }
            (Predicate::Always, false) => {
                Predicate::When(Box::new($table::$column.is_null().nullable()))
            }
            (Predicate::When(inner), holds) => {
                let targets = $table::table
                    .into_boxed()
                    .select($table::id.nullable())
                    .filter(inner);
                Predicate::When(if holds {
                    Box::new($table::$column.eq_any(targets))
                } else {
                    Box::new(
                        $table::$column
                            .is_null()
                            .nullable()
                            .or($table::$column.ne_all(targets)),
                    )
                })
            }
        }
    }};
}

/// A condition through a multiple relation, by its join table:
/// `via_many!(form, inner, holds, users[link_users_permissions] => permissions)`.
#[macro_export]
macro_rules! via_many {
    ($form:expr, $inner:expr, $holds:expr, $table:ident [$link:ident] => $target:ident) => {{
        use $crate::diesel::prelude::*;
        use $crate::sql::{Form, outer::Outer, predicate::Predicate};
        let (form, holds) = $form.turned($holds);
        match ($inner, holds) {
            (Predicate::Never, holds) => Predicate::from(!holds),
            (Predicate::Always, holds) => {
                let owners = $link::table.into_boxed().select($link::owner);
                Predicate::When(match (form, holds) {
                    (Form::In, true) => Box::new($table::id.eq_any(owners).nullable()),
                    (Form::In, false) => Box::new($table::id.ne_all(owners).nullable()),
                    (_, holds) => {
                        let found = $crate::diesel::dsl::exists(
                            owners.filter(Outer($table::id).eq($link::owner)),
                        );
                        if holds {
                            Box::new(found.nullable())
                        } else {
                            Box::new($crate::diesel::dsl::not(found).nullable())
                        }
                    }
                })
            }
            (Predicate::When(inner), holds) => {
                let owners = $link::table.into_boxed().select($link::owner);
                let targets = $target::table.into_boxed().select($target::id);
                Predicate::When(match (form, holds) {
                    (Form::In, holds) => {
                        let owners = owners.filter($link::target.eq_any(targets.filter(inner)));
                        if holds {
                            Box::new($table::id.eq_any(owners).nullable())
                        } else {
                            Box::new($table::id.ne_all(owners).nullable())
                        }
                    }
                    (_, holds) => {
                        let target = $crate::diesel::dsl::exists(
                            targets
                                .filter(Outer($link::target).eq($target::id))
                                .filter(inner),
                        );
                        let found = $crate::diesel::dsl::exists(
                            owners
                                .filter(Outer($table::id).eq($link::owner))
                                .filter(target),
                        );
                        if holds {
                            Box::new(found.nullable())
                        } else {
                            Box::new($crate::diesel::dsl::not(found).nullable())
                        }
                    }
                })
            }
        }
    }};
}

/// A condition through a multiple relation to the same collection (always `IN`):
/// `via_many_self!(form, inner, holds, users[link_users_friends])`.
#[macro_export]
macro_rules! via_many_self {
    ($form:expr, $inner:expr, $holds:expr, $table:ident [$link:ident]) => {{
        use $crate::diesel::prelude::*;
        use $crate::sql::predicate::Predicate;
        let owners = $link::table.into_boxed().select($link::owner);
        let (_, holds) = $form.turned($holds);
        let (owners, holds) = match ($inner, holds) {
            (Predicate::Never, holds) => (None, holds),
            (Predicate::Always, holds) => (Some(owners), holds),
            (Predicate::When(inner), holds) => {
                let targets = $table::table.into_boxed().select($table::id).filter(inner);
                (Some(owners.filter($link::target.eq_any(targets))), holds)
            }
        };
        match (owners, holds) {
            (None, holds) => Predicate::from(!holds),
            (Some(owners), true) => Predicate::When(Box::new($table::id.eq_any(owners).nullable())),
            (Some(owners), false) => {
                Predicate::When(Box::new($table::id.ne_all(owners).nullable()))
            }
        }
    }};
}
