/* OpenID providers for tests, all in one process. Settings come as JSON in PROVIDER; prints "ready" when all listen.

   Everybody signs in with any password, under the address that they type. Each provider is set up like one that people
   use, as far as that concerns a client: see `LIKE`. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const settings = JSON.parse(process.env.PROVIDER);
const require = createRequire(settings.modules + "/");
const { default: Provider, errors } = await import(pathToFileURL(require.resolve("oidc-provider")));

const API = "urn:portal:api";
const groupsOf = (token) => settings.groups[token.accountId] ?? [];

/* consents: asks for consent, and gives a refresh token only after it
   api: whether the access token of this authorization request is a JWT for the API, and not an opaque one for userinfo
   useGrantedResource: whether a token request without a resource is for the API again
   claims: what the access token has beside the address */
const LIKE = {
  // This provider itself, to the letter of OpenID Connect Core, section 11, and of RFC 8707: each request names the API.
  standard: {
    consents: true,
    api: () => false,
    useGrantedResource: () => false,
    claims: (token) => ({ groups: groupsOf(token) }),
  },
  // A client of one's own, a role mapper of one's own; refresh tokens without `offline_access`.
  keycloak: { api: () => true, refreshes: () => true, claims: (token) => ({ groups: groupsOf(token) }) },
  // Without `audience` the access token is opaque. Permissions are those of its API.
  auth0: {
    api: ({ audience }) => audience === API,
    params: ["audience"],
    claims: (token) => ({ permissions: groupsOf(token) }),
  },
  // The API is that of a scope, and each refresh has to name it: else AADSTS90009. No logout calls, no revocation.
  entra: {
    api: ({ scope }) => scope?.includes(`${API}/read`),
    useGrantedResource: ({ grant_type, scope }) => {
      if (grant_type !== "refresh_token" || scope?.includes(`${API}/read`)) return true;
      throw new errors.InvalidRequest("AADSTS90009");
    },
    claims: (token) => ({ roles: groupsOf(token) }),
    features: { backchannelLogout: { enabled: false }, revocation: { enabled: false } },
  },
};
const SCOPES = `openid email profile offline_access ${API}/read`;

function serve({ like, port, gateways }) {
  const kind = LIKE[like];
  const asked = new Map();
  const refused = new Set();
  const skipsConsent = {
    loadExistingGrant: async (ctx) => {
      const { client, session, provider } = ctx.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(SCOPES);
      grant.addResourceScope(API, SCOPES);
      await grant.save();
      return grant;
    },
    // Without consent this one forgets that `offline_access` was asked for; those do not.
    issueRefreshToken: (_, __, code) => kind.refreshes?.() ?? asked.get(code.codeChallenge)?.includes("offline_access"),
  };
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      {
        client_id: "portal",
        client_secret: settings.secret,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        redirect_uris: gateways.map((gateway) => gateway + "/login/oidc/callback"),
        post_logout_redirect_uris: gateways.map((gateway) => gateway + "/signed-out"),
        // By address: node knows neither the gateway's "localhost" nor the subdomains of a browser.
        ...(kind.features?.backchannelLogout?.enabled !== false && {
          backchannel_logout_uri: `http://127.0.0.1:${new URL(gateways.at(-1)).port}/oidc/backchannel-logout`,
          backchannel_logout_session_required: true,
        }),
      },
    ],
    // Its own refuses addresses of this machine, which is where the gateway of a test is.
    fetch: (url, { dispatcher, ...options }) => fetch(url, options),
    cookies: { keys: ["a key for tests"] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    extraParams: kind.params ?? [],
    claims: { openid: ["sub"], email: ["email"], profile: ["name"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: id, name: id }) }),
    extraTokenClaims: (_, token) => ({ email: token.accountId, ...kind.claims(token) }),
    ...(!kind.consents && skipsConsent),
    features: {
      devInteractions: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (ctx) => (kind.api(ctx.oidc.params) ? API : undefined),
        useGrantedResource: (ctx) => kind.useGrantedResource?.(ctx.oidc.params) ?? true,
        getResourceServerInfo: () => ({
          scope: SCOPES,
          audience: API,
          accessTokenFormat: "jwt",
          accessTokenTTL: settings.accessTokenTtl,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
      ...kind.features,
    },
  });

  const counts = { refreshes: 0, revocations: 0, logouts: 0, logoutErrors: [] };
  provider.on("backchannel.success", () => counts.logouts++);
  provider.on("backchannel.error", (_, error) => counts.logoutErrors.push(`${error} ${error.cause ?? ""}`));
  provider.on("grant.success", (ctx) => ctx.oidc.params.grant_type === "refresh_token" && counts.refreshes++);
  provider.use(async (ctx, next) => {
    if (ctx.path === "/auth" && ctx.query.code_challenge) asked.set(ctx.query.code_challenge, ctx.query.scope);
    const bearer = ctx.get("Authorization").replace("Bearer ", "");
    if (ctx.path === "/counts") ctx.body = counts;
    // As if its time were over: an opaque token may be refused at any time.
    else if (ctx.path === "/end-of-token") ctx.body = [...refused.add(bearer)].length;
    else if (ctx.path === "/me" && refused.has(bearer)) ctx.status = 401;
    else await next();
    if (ctx.path === "/token/revocation" && ctx.status === 200) counts.revocations++;
  });
  return new Promise((listening) => provider.listen(port, "127.0.0.1", listening));
}

await Promise.all(settings.providers.map(serve));
console.log("ready");
