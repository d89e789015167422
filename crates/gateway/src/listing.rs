//! `GET /v1/models`: the model names that a client can request.

use hyper::{
    Response, StatusCode,
    header::{CONTENT_TYPE, HeaderValue},
};

use crate::{body::ResponseBody, gateway::Gateway};

/// Handles `GET /v1/models`. Lists the names of all models in the registry, and the names with which a client leaves
/// the choice to the policy, such as `turnwise` and `auto`. If the path contains one of these names, lists only that
/// one. Responds with 404 to any other name, and with 503 if the bus has ended.
pub(crate) async fn list_models(gateway: &Gateway, path: &str) -> Response<ResponseBody> {
    let names = gateway
        .bus()
        .query(|engine| {
            let registry = &engine.models().registry;
            let autos = registry.auto_names().map(str::to_owned).collect::<Vec<_>>();
            let models = registry.iter().map(|model| model.id.model().to_owned());
            let mut names: Vec<String> = autos.into_iter().chain(models).collect();
            let mut seen = std::collections::BTreeSet::new();
            names.retain(|name| seen.insert(name.clone()));
            names
        })
        .await;
    let Ok(names) = names else {
        let mut response = Response::new(ResponseBody::complete(""));
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return response;
    };
    let requested = path.rsplit_once("models/").map(|(_, name)| name).filter(|name| !name.is_empty());
    let list = match requested {
        None => Some(wire::models_list(names.iter().map(String::as_str))),
        Some(requested) => names.iter().find(|name| *name == requested).map(|name| wire::models_list([name.as_str()])),
    };
    let mut response = match list {
        Some(body) => Response::new(ResponseBody::complete(body)),
        None => {
            return crate::exchange::error_response(
                contracts::WireApi::OpenAiChat,
                404,
                "not_found_error",
                "no model has that name",
            );
        }
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
