//! The endpoint that ends the outages of a provider.

use std::sync::Arc;

use control::{ControlRequest, ErrorKind, RetryProvider};
use hyper::{Request, StatusCode, body::Incoming as Body};
use serde::Deserialize;

use super::{ApiError, ApiResult, read_json};
use crate::gateway::Gateway;

/// Body of a request to end outages: an empty JSON object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryRequest {}

/// Ends the outages of a provider and of its models, as `turnwise providers retry` does. Responds when that is durable;
/// 404 if no model has the provider.
pub(super) async fn retry(gateway: &Arc<Gateway>, provider: &str, request: Request<Body>) -> ApiResult {
    let RetryRequest {} = read_json(request).await?;
    let retry = ControlRequest::RetryProvider(RetryProvider { provider: provider.to_owned() });
    let (response, durable) = gateway.bus().command(move |engine| control::execute(engine, retry)).await?;
    durable.wait().await?;
    response.map_err(|error| match error.kind {
        ErrorKind::Invalid => ApiError::new(StatusCode::NOT_FOUND, error.message),
        ErrorKind::Failed => ApiError::internal(error.message),
    })
}
