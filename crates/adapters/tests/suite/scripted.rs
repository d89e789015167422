//! The provider for tests of other crates, used through the trait.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use adapters::{
    Keys, Operation, Provider, ProviderClients, Providers, ResponseTimeouts, RetryBudget, ScriptedProvider,
    StreamError, UpstreamFailure, UpstreamRequest,
};
use contracts::{WireApi, events::ErrorClass};
use http_body_util::BodyExt as _;
use hyper::body::Bytes;

fn request(body: &'static str) -> UpstreamRequest<'static> {
    UpstreamRequest {
        api: WireApi::OpenAiChat,
        operation: Operation::Generate,
        model: "gpt-5.4",
        stream: true,
        body: Bytes::from_static(body.as_bytes()),
        client: None,
        timeouts: ResponseTimeouts { first_byte: Duration::ZERO, idle: Duration::ZERO },
        retry: RetryBudget::NONE,
        retry_until: None,
    }
}

#[tokio::test]
async fn it_returns_the_script_in_order_and_records_the_requests() {
    let providers = Providers::new(&BTreeMap::new(), &Keys::default(), |_| None).unwrap();
    let scripted = Arc::new(ScriptedProvider::new(providers.get("openai").unwrap().clone()));
    let clients = ProviderClients::from_iter([Arc::clone(&scripted) as Arc<dyn Provider>]);
    let provider = clients.get("openai").unwrap();
    assert!(clients.get("anthropic").is_none());

    scripted.respond([Ok(Bytes::from_static(b"a")), Ok(Bytes::from_static(b"b"))]);
    scripted.respond([Ok(Bytes::from_static(b"c")), Err(StreamError::Disconnected), Ok(Bytes::from_static(b"d"))]);
    let busy = UpstreamFailure::without_response(ErrorClass::Overloaded);
    scripted.fail(busy.clone());

    let response = provider.send(&request("1")).await.unwrap();
    assert_eq!(response.body.collect().await.unwrap().to_bytes(), "ab");
    let mut body = provider.send(&request("2")).await.unwrap().body;
    assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "c");
    assert_eq!(body.frame().await.unwrap().unwrap_err(), StreamError::Disconnected);
    assert!(body.frame().await.is_none());
    assert_eq!(provider.send(&request("3")).await.unwrap_err(), busy);
    assert_eq!(provider.send(&request("4")).await.unwrap_err().class, ErrorClass::Other);
    let bodies: Vec<Bytes> = scripted.sent().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies, ["1", "2", "3", "4"]);
}
