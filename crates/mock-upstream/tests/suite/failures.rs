//! Requested failures, and that they end after the requested number.

use std::time::{Duration, Instant};

use mock_upstream::{ConnectionEnd, Failure, Fault, ResponseState};

use crate::support::{first_requests, send, start_mock};

#[test]
fn a_burst_of_errors_ends_after_the_requested_number() {
    let mock = start_mock();
    for (path, body) in first_requests("hi", true) {
        mock.fail(Failure::times(2, Failure::too_many(7)));
        mock.fail(Failure::once(Failure::status(529)));
        let answers: Vec<_> = (0..4).map(|_| send(&mock, &path, &body)).collect();
        let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [429, 429, 529, 200], "{path}");
        assert_eq!(answers[0].retry_after.as_deref(), Some("7"));
        assert_eq!(answers[2].retry_after, None);
        assert!(answers[0].json()["error"]["message"].is_string());
    }
}

#[test]
fn a_stream_is_cut_after_a_number_of_events_in_three_ways() {
    let mock = start_mock();
    for (path, body) in first_requests("LONG:20", true) {
        for (how, whole) in [(ConnectionEnd::Reset, false), (ConnectionEnd::Close, false), (ConnectionEnd::End, true)] {
            mock.reset();
            mock.fail(Failure::once(Fault::Cut { after: 3, how }));
            let answer = send(&mock, &path, &body);
            assert_eq!((answer.events().len(), answer.complete), (3, whole), "{path}, {how:?}");
            assert_eq!(mock.requests()[0].ended, ResponseState::Cut);
            assert!(send(&mock, &path, &body).complete);
        }
    }
}

#[test]
fn an_answer_that_is_no_stream_is_cut_in_its_middle() {
    let mock = start_mock();
    for (path, body) in first_requests("hi", false) {
        mock.fail(Failure::once(Fault::Cut { after: 0, how: ConnectionEnd::Close }));
        assert!(!send(&mock, &path, &body).complete, "{path}");
    }
}

#[test]
fn an_error_in_a_stream_is_its_last_event() {
    let mock = start_mock();
    for (path, body) in first_requests("LONG:20", true) {
        mock.fail(Failure::once(Fault::ErrorEvent(4)));
        let events = send(&mock, &path, &body).events();
        assert_eq!(events.len(), 5, "{path}");
        let last = &events[4];
        assert!(last["error"].is_object() || last["response"]["error"].is_object(), "{last}");
    }
}

#[test]
fn a_malformed_event_is_sent_between_valid_ones() {
    let mock = start_mock();
    for (path, body) in first_requests("LONG:3", true) {
        let proper = send(&mock, &path, &body).events().len();
        mock.fail(Failure::once(Fault::Malformed(2)));
        let text = send(&mock, &path, &body).text;
        let (broken, others): (Vec<_>, Vec<_>) =
            text.lines().filter(|line| line.starts_with("data: ")).partition(|line| line.contains("\"broken\""));
        assert_eq!(broken.len(), 1);
        assert_eq!(others.iter().filter(|line| !line.contains("[DONE]")).count(), proper);
    }
}

#[test]
fn a_failure_of_one_model_does_not_touch_another() {
    let mock = start_mock();
    mock.fail(Failure::always(Failure::status(500)).for_model("m"));
    let (path, mut body) = first_requests("hi", false).swap_remove(1);
    assert_eq!(send(&mock, &path, &body).status, 500);
    body["model"] = "other".into();
    assert_eq!(send(&mock, &path, &body).status, 200);
}

#[test]
fn delays_take_effect() {
    let mock = start_mock();
    let (path, body) = first_requests("LONG:5", true).swap_remove(0);
    mock.fail(Failure::once(Fault::SlowHeaders(60)));
    mock.fail(Failure::once(Fault::SlowChunks(10)));
    let begun = Instant::now();
    assert!(send(&mock, &path, &body).complete);
    assert!(begun.elapsed() >= Duration::from_millis(60));
    let begun = Instant::now();
    assert!(send(&mock, &path, &body).complete);
    assert!(begun.elapsed() >= Duration::from_millis(50), "at least five waits of 10 ms");
}
