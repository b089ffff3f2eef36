//! Single resources: read in slices, written on the condition that they are in a known state.

use std::collections::BTreeMap;

use futures::stream::{StreamExt as _, iter};
use http::{Method, Request};
use libdav::caldav::GetCalendarResources;
use libdav::carddav::GetAddressBookResources;
use libdav::dav::{Delete, PutResource};
use libdav::requests::DavRequest;
use reqwest::Url;

use super::changes::etag;
use super::client::{DavAnswer, DavClient, Does, failed, unwritten};
use super::error::{DavError, garbled};
use super::href::ServerHosts;
use super::multistatus::{CALDAV, CARDDAV, Multistatus};
use super::{DavKind, media_type};
use brain_core::failpoint::fail_point;
use brain_core::limits::{DAV_ETAG_BYTES_MAX, DAV_GETS_AT_ONCE, DAV_MULTIGET_MAX, DAV_RESOURCE_BYTES_MAX};

/// A resource with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name there.
    pub href: String,
    /// The state in which it was read.
    pub etag: String,
    /// Every byte of it, with the line breaks that XML leaves of them.
    pub text: String,
}

/// Resources that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Those that could be read.
    pub resources: Vec<Resource>,
    /// Those that are not there.
    pub gone: Vec<String>,
    /// Those that are too large, or no text.
    pub unreadable: Vec<String>,
    /// How many of all these had to be asked for by themselves.
    pub singly: usize,
    /// Those that were not asked for, because that were too many.
    pub not_asked: Vec<String>,
}

/// Something was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResource {
    /// Its state now; `None`: the server did not say.
    pub etag: Option<String>,
}

impl DavClient {
    /// The texts of these. What cannot be read costs itself alone; at most `singly_max` that the server leaves out of its
    /// answers are asked for by themselves, and none are asked for behind the first that is left.
    pub async fn fetch(
        &self,
        kind: DavKind,
        collection: &str,
        hrefs: &[String],
        singly_max: usize,
    ) -> Result<Fetched, DavError> {
        let mut fetched = Fetched::default();
        for (at, slice) in hrefs.chunks(DAV_MULTIGET_MAX).enumerate() {
            // Their names in answers, and those that they were asked for by.
            let name = |href: &String| self.0.home.href(href, &self.0.home.url).unwrap_or_default();
            let mut missing: BTreeMap<String, String> = slice.iter().map(|href| (name(href), href.clone())).collect();
            let answer = match self.several(kind, collection, slice).await {
                // Too long an answer, or one that nobody can parse for the sake of one resource in it.
                Err(DavError::Unexpected(_)) => None,
                answer => answer?,
            };
            if let Some(answer) = answer {
                let (home, wanted) = (self.0.home.clone(), missing.clone());
                match answer.read(move |all, from| sorted(all, from, &home, wanted)).await {
                    Ok((found, left_out)) => {
                        fetched.resources.extend(found.resources);
                        fetched.gone.extend(found.gone);
                        fetched.unreadable.extend(found.unreadable);
                        missing = left_out;
                    }
                    Err(DavError::Unexpected(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            let mut missing: Vec<String> = missing.into_values().collect();
            let left = missing.split_off(missing.len().min(singly_max.saturating_sub(fetched.singly)));
            fetched.singly += missing.len();
            self.singly(missing, &mut fetched).await?;
            if !left.is_empty() {
                fetched.not_asked = left;
                fetched.not_asked.extend(hrefs.iter().skip((at + 1) * DAV_MULTIGET_MAX).cloned());
                break;
            }
        }
        Ok(fetched)
    }

    /// What the server has left out is asked for by itself.
    async fn singly(&self, missing: Vec<String>, fetched: &mut Fetched) -> Result<(), DavError> {
        let (mut answers, mut failure) = (0_usize, None);
        let gets = missing.into_iter().map(|href| async move {
            let got = self.got(&href).await;
            (href, got)
        });
        let mut got = iter(gets.collect::<Vec<_>>()).buffered(DAV_GETS_AT_ONCE);
        while let Some((href, got)) = got.next().await {
            match got {
                Ok(Some(resource)) => fetched.resources.push(resource),
                Ok(None) => fetched.gone.push(href),
                Err(DavError::Unexpected(_) | DavError::Refused(_)) => fetched.unreadable.push(href),
                Err(DavError::Doubtful(why)) => {
                    failure = Some(DavError::Unreachable(why));
                    fetched.unreadable.push(href);
                    continue;
                }
                Err(error) => return Err(error),
            }
            answers += 1;
        }
        // A server that fails at everything does not have broken resources only.
        match failure.filter(|_| answers == 0 && fetched.resources.is_empty()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// `None`: the server has no way to ask for several.
    async fn several(&self, kind: DavKind, collection: &str, hrefs: &[String]) -> Result<Option<DavAnswer>, DavError> {
        let (base, path) = self.target(collection)?;
        let mut paths = Vec::new();
        for href in hrefs {
            paths.push(self.target(href)?.1);
        }
        let request = match kind {
            DavKind::Events | DavKind::Tasks => {
                GetCalendarResources::new(&path).with_hrefs(&paths).prepare_request(base)
            }
            DavKind::Contacts => GetAddressBookResources::new(&path).with_hrefs(&paths).prepare_request(base),
        };
        let answer = self.ask(request.map_err(|_| garbled())?, Does::Reads).await?;
        match answer.status().as_u16() {
            207 => Ok(Some(answer)),
            400 | 403 | 405 | 409 | 412 | 415 | 501 => Ok(None),
            _ => Err(failed(&answer)),
        }
    }

    /// One of them; `None`: it is not there.
    pub async fn get(&self, href: &str) -> Result<Option<Resource>, DavError> {
        self.got(href).await.map_err(|error| match error {
            DavError::Doubtful(why) => DavError::Unreachable(why),
            error => error,
        })
    }

    /// The same; doubtful is whether the server or the resource is broken.
    async fn got(&self, href: &str) -> Result<Option<Resource>, DavError> {
        let (base, path) = self.target(href)?;
        let uri = libdav::dav::make_relative_url(base, &path).map_err(|_| garbled())?;
        let request = Request::builder().method(Method::GET).uri(uri).body(String::new()).map_err(|_| garbled())?;
        let answer = self.ask(request, Does::ReadsOne).await?;
        match answer.status().as_u16() {
            404 | 410 => return Ok(None),
            200 => {}
            500 => return Err(DavError::Doubtful("the server has failed at it (500)".to_owned())),
            _ => return Err(failed(&answer)),
        }
        let etag = told_etag(&answer).ok_or_else(garbled)?;
        if answer.body.len() > DAV_RESOURCE_BYTES_MAX {
            return Err(DavError::Unexpected("it is too large to be read".to_owned()));
        }
        Ok(Some(Resource { href: href.to_owned(), etag, text: answer.text()?.to_owned() }))
    }

    /// Writes something new, if there is nothing of that name.
    pub async fn create(&self, kind: DavKind, href: &str, text: String) -> Result<StoredResource, DavError> {
        let (base, path) = self.target(href)?;
        self.written(&PutResource::new(&path).create(text, media_type(kind)), base).await
    }

    /// Writes over something that is in this state.
    pub async fn replace(
        &self,
        kind: DavKind,
        href: &str,
        etag: &str,
        text: String,
    ) -> Result<StoredResource, DavError> {
        let (base, path) = self.target(href)?;
        self.written(&PutResource::new(&path).update(text, media_type(kind), etag), base).await
    }

    /// Takes something away that is in this state.
    pub async fn delete(&self, href: &str, etag: &str) -> Result<(), DavError> {
        let (base, path) = self.target(href)?;
        self.written(&Delete::new(&path).with_etag(etag), base).await.map(|_| ())
    }

    async fn written<R: DavRequest>(&self, request: &R, base: http::Uri) -> Result<StoredResource, DavError> {
        let unsaid = |_| DavError::Refused("its address or its state cannot be said to the server".to_owned());
        let request = request.prepare_request(base).map_err(unsaid)?;
        fail_point("dav-before");
        let answer = match self.ask(request, Does::Writes).await {
            Ok(answer) => answer,
            Err(error) => {
                if matches!(error, DavError::Doubtful(_)) {
                    fail_point("dav-unclear");
                }
                return Err(error);
            }
        };
        fail_point("dav-answered");
        if answer.status().as_u16() == 207 {
            let status = answer.read(|all, _| worst(all)).await;
            let odd = |_| DavError::Doubtful("the server's answer cannot be read".to_owned());
            return refused_in_parts(status.map_err(odd)?).map(|()| StoredResource { etag: None });
        }
        if answer.status().is_success() {
            Ok(StoredResource { etag: told_etag(&answer) })
        } else {
            Err(unwritten(&answer))
        }
    }
}

/// What was answered of what was asked for, and what of that is missing.
pub(super) fn sorted(
    all: &Multistatus<'_>,
    from: &Url,
    home: &ServerHosts,
    mut missing: BTreeMap<String, String>,
) -> (Fetched, BTreeMap<String, String>) {
    let mut found = Fetched::default();
    for entry in &all.entries {
        let Some(name) = home.href(entry.href, from) else { continue };
        let Some(href) = missing.get(&name).cloned() else { continue };
        let data = entry.prop(CALDAV, "calendar-data").or_else(|| entry.prop(CARDDAV, "address-data"));
        let text: Option<String> =
            data.map(|data| data.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect());
        match (entry.status, text, etag(entry)) {
            (Some(404 | 410), _, _) => found.gone.push(href),
            (_, Some(text), Some(etag)) if !text.trim().is_empty() && text.len() <= DAV_RESOURCE_BYTES_MAX => {
                found.resources.push(Resource { href, etag, text });
            }
            (_, Some(text), _) if text.len() > DAV_RESOURCE_BYTES_MAX => found.unreadable.push(href),
            _ => continue,
        }
        missing.remove(&name);
    }
    (found, missing)
}

/// What one of its parts was refused with.
fn worst(all: &Multistatus<'_>) -> Option<u16> {
    all.entries.iter().filter_map(|entry| entry.status).find(|status| *status >= 400)
}

/// A write that is answered in parts was not done where one of them says so (RFC 4918 §9.6.1).
fn refused_in_parts(status: Option<u16>) -> Result<(), DavError> {
    match status {
        None => Ok(()),
        Some(404 | 410) => Err(DavError::Gone),
        Some(412) => Err(DavError::ChangedThere),
        Some(code) => Err(DavError::Refused(format!("the server refused it ({code})"))),
    }
}

fn told_etag(answer: &DavAnswer) -> Option<String> {
    let etag = answer.parts.headers.get(http::header::ETAG)?.to_str().ok()?.trim();
    Some(etag.to_owned()).filter(|etag| (1..=DAV_ETAG_BYTES_MAX).contains(&etag.len()))
}
