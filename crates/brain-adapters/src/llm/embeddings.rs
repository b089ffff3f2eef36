//! Vectors by an OpenAI-compatible endpoint: one POST of some texts, one answer with a vector for each.
//!
//! Invariants: one attempt; everything within `EMBED_MS`; an answer has a largest size, and one that is short of a
//! vector, or whose vectors are none, is an error as a whole; no error holds the key, the address, or a word.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, Url};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;

use super::{Endpoint, body};
use brain_core::limits;
use brain_core::ports::{EmbedError, Embedder, Embedding};

/// The endpoint that makes vectors of texts.
pub struct TextEmbedder {
    client: Client,
    url: Url,
    key: Option<SecretString>,
    model: String,
}

impl fmt::Debug for TextEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.model, self.url.host_str().unwrap_or_default())
    }
}

#[derive(Deserialize)]
struct EmbeddingsAnswer {
    data: Vec<IndexedVector>,
}

#[derive(Deserialize)]
struct IndexedVector {
    index: usize,
    embedding: Vec<f32>,
}

impl TextEmbedder {
    /// An embedder at this endpoint; opens no connection yet. `Err` says what is wrong with it.
    pub fn new(endpoint: &Endpoint) -> Result<Self, String> {
        let url = super::url_of(&endpoint.base_url, "embeddings").ok_or("it is no http(s) address")?;
        let client = body::client(Duration::from_millis(limits::EMBED_MS))?;
        Ok(Self { client, url, key: endpoint.api_key.clone(), model: endpoint.model.clone() })
    }
}

#[async_trait]
impl Embedder for TextEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedding>, EmbedError> {
        let asked = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let request = self.client.post(self.url.clone()).json(&asked);
        let body = body::answered(request, self.key.as_ref(), limits::EMBED_BYTES_MAX).await.map_err(EmbedError)?;
        vectors(&body, texts.len()).map_err(|why| EmbedError(why.to_owned()))
    }
}

/// The vectors of an answer, in the order of the texts.
fn vectors(body: &[u8], texts: usize) -> Result<Vec<Embedding>, &'static str> {
    let answer: EmbeddingsAnswer = serde_json::from_slice(body).map_err(|_| "gave an answer that holds no vectors")?;
    let mut found: Vec<Option<Embedding>> = vec![None; texts];
    for vector in answer.data {
        let place = found.get_mut(vector.index).ok_or("gave vectors for other texts")?;
        *place = Some(Embedding::of(&vector.embedding).ok_or("gave a vector that is none")?);
    }
    found.into_iter().collect::<Option<Vec<_>>>().ok_or("gave no vector for some of the texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_whole_and_in_the_order_of_the_texts_or_not_at_all() {
        let answer = |data: serde_json::Value| vectors(json!({"data": data}).to_string().as_bytes(), 2);
        let vector = |index: usize, numbers: &[f32]| json!({"index": index, "embedding": numbers});
        let found = answer(json!([vector(1, &[0.0, 2.0]), vector(0, &[5.0, 0.0])])).unwrap();
        assert_eq!(found, [&[1.0, 0.0][..], &[0.0, 1.0]].map(|numbers| Embedding::of(numbers).unwrap()));
        let whole = vector(0, &[1.0]);
        for (data, why) in [
            (json!([whole]), "some of the texts"),
            (json!([whole, vector(2, &[1.0])]), "other texts"),
            (json!([whole, vector(1, &[])]), "is none"),
            (json!([whole, vector(1, &[0.0])]), "is none"),
            (json!("words"), "no vectors"),
        ] {
            assert!(answer(data.clone()).unwrap_err().contains(why), "{data}");
        }
    }
}
