//! Failures on demand, and that they end.

use std::time::{Duration, Instant};

use mock_upstream::{ConnectionEnd, Failure, Fault, ResponseState};

use crate::support::{ask, mock, questions};

#[test]
fn a_burst_of_errors_ends_after_as_many_as_were_asked_for() {
    let mock = mock();
    for (path, body) in questions("hi", true) {
        mock.fail(Failure::times(2, Failure::too_many(7)));
        mock.fail(Failure::once(Failure::status(529)));
        let answers: Vec<_> = (0..4).map(|_| ask(&mock, &path, &body)).collect();
        let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [429, 429, 529, 200], "{path}");
        assert_eq!(answers[0].retry_after.as_deref(), Some("7"));
        assert_eq!(answers[2].retry_after, None);
        assert!(answers[0].json()["error"]["message"].is_string());
    }
}

#[test]
fn a_stream_is_cut_after_so_many_events_in_three_ways() {
    let mock = mock();
    for (path, body) in questions("LONG:20", true) {
        for (how, whole) in [(ConnectionEnd::Reset, false), (ConnectionEnd::Close, false), (ConnectionEnd::End, true)] {
            mock.reset();
            mock.fail(Failure::once(Fault::Cut { after: 3, how }));
            let answer = ask(&mock, &path, &body);
            assert_eq!((answer.events().len(), answer.whole), (3, whole), "{path}, {how:?}");
            assert_eq!(mock.requests()[0].ended, ResponseState::Cut);
            assert!(ask(&mock, &path, &body).whole);
        }
    }
}

#[test]
fn an_answer_that_is_no_stream_is_cut_in_its_middle() {
    let mock = mock();
    for (path, body) in questions("hi", false) {
        mock.fail(Failure::once(Fault::Cut { after: 0, how: ConnectionEnd::Close }));
        assert!(!ask(&mock, &path, &body).whole, "{path}");
    }
}

#[test]
fn an_error_in_a_stream_is_its_last_event() {
    let mock = mock();
    for (path, body) in questions("LONG:20", true) {
        mock.fail(Failure::once(Fault::ErrorEvent(4)));
        let events = ask(&mock, &path, &body).events();
        assert_eq!(events.len(), 5, "{path}");
        let last = &events[4];
        assert!(last["error"].is_object() || last["response"]["error"].is_object(), "{last}");
    }
}

#[test]
fn a_malformed_event_stands_among_proper_ones() {
    let mock = mock();
    for (path, body) in questions("LONG:3", true) {
        let proper = ask(&mock, &path, &body).events().len();
        mock.fail(Failure::once(Fault::Malformed(2)));
        let text = ask(&mock, &path, &body).text;
        let (broken, others): (Vec<_>, Vec<_>) =
            text.lines().filter(|line| line.starts_with("data: ")).partition(|line| line.contains("\"broken\""));
        assert_eq!(broken.len(), 1);
        assert_eq!(others.iter().filter(|line| !line.contains("[DONE]")).count(), proper);
    }
}

#[test]
fn a_failure_of_one_model_does_not_touch_another() {
    let mock = mock();
    mock.fail(Failure::always(Failure::status(500)).for_model("m"));
    let (path, mut body) = questions("hi", false).swap_remove(1);
    assert_eq!(ask(&mock, &path, &body).status, 500);
    body["model"] = "other".into();
    assert_eq!(ask(&mock, &path, &body).status, 200);
}

#[test]
fn slowness_takes_its_time() {
    let mock = mock();
    let (path, body) = questions("LONG:5", true).swap_remove(0);
    mock.fail(Failure::once(Fault::SlowHeaders(60)));
    mock.fail(Failure::once(Fault::SlowChunks(10)));
    let begun = Instant::now();
    assert!(ask(&mock, &path, &body).whole);
    assert!(begun.elapsed() >= Duration::from_millis(60));
    let begun = Instant::now();
    assert!(ask(&mock, &path, &body).whole);
    assert!(begun.elapsed() >= Duration::from_millis(50), "at least five waits of 10 ms");
}
