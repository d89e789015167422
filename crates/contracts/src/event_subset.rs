//! [`event_subset!`](crate::event_subset), which declares the events that one projection folds.

/// Declares an enum of references to some of the kinds of [`Event`](crate::Event), and implements
/// [`EventSubset`](event_core::EventSubset) for it. `apply` of a projection matches it without a wildcard, so that the list
/// of kinds and the code that folds them cannot differ.
///
/// ```
/// use contracts::{Event, event_subset};
/// use event_core::{Projection, Recorded};
///
/// event_subset! {
///     /// The events that the number of open turns follows from.
///     pub enum OpenTurnEvent { TurnStarted, TurnEnded }
/// }
///
/// #[derive(Default, serde::Serialize, serde::Deserialize)]
/// struct OpenTurns(u64);
///
/// impl Projection for OpenTurns {
///     const NAME: &'static str = "acme.open-turns";
///     const VERSION: u32 = 1;
///     type Events = Event;
///     type Folded<'a> = OpenTurnEvent<'a>;
///
///     fn apply(&mut self, event: OpenTurnEvent<'_>, _recorded: &Recorded) {
///         match event {
///             OpenTurnEvent::TurnStarted(_) => self.0 += 1,
///             OpenTurnEvent::TurnEnded(_) => self.0 = self.0.saturating_sub(1),
///         }
///     }
/// }
/// ```
#[macro_export]
macro_rules! event_subset {
    ($(#[$meta:meta])* $visibility:vis enum $subset:ident { $($kind:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        $visibility enum $subset<'a> {
            $(#[doc = concat!("See [`contracts::events::", stringify!($kind), "`].")]
            $kind(&'a $crate::events::$kind),)+
        }

        impl<'a> ::event_core::EventSubset<'a, $crate::Event> for $subset<'a> {
            fn includes(kind: &str) -> bool {
                [$(<$crate::events::$kind as ::event_core::EventType>::KIND),+].contains(&kind)
            }

            fn select(event: &'a $crate::Event) -> Option<Self> {
                match event {
                    $($crate::Event::$kind(body) => Some(Self::$kind(body)),)+
                    _ => None,
                }
            }
        }
    };
}
