//! The endpoint that ends the outages of a provider.

use std::sync::Arc;

use control::{ControlRequest, RetryProvider};
use hyper::{Request, body::Incoming as Body};
use serde::Deserialize;

use super::{ApiResult, execute, read_json};
use crate::gateway::Gateway;

/// The JSON body of the page's request to end outages: an empty object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryRequest {}

/// Ends the outages of a provider and of its models, as `turnwise providers retry` does. Responds when that is durable;
/// 404 if no model has the provider.
pub(super) async fn retry(gateway: &Arc<Gateway>, provider: &str, request: Request<Body>) -> ApiResult {
    let RetryRequest {} = read_json(request).await?;
    execute(gateway, ControlRequest::RetryProvider(RetryProvider { provider: provider.to_owned() })).await
}
