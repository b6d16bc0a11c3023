/* An OpenID provider for tests. Settings come as JSON in PROVIDER; prints "ready" when it listens.

   Everybody signs in with any password, under the address that they type; access tokens are JWTs that carry it. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const settings = JSON.parse(process.env.PROVIDER);
const require = createRequire(settings.modules + "/");
const { default: Provider } = await import(pathToFileURL(require.resolve("oidc-provider")));

const provider = new Provider(settings.issuer, {
  clients: [
    {
      client_id: "portal",
      client_secret: settings.secret,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      redirect_uris: [settings.gateway + "/login/oidc/callback"],
      post_logout_redirect_uris: [settings.gateway + "/signed-out"],
      // By address: node knows neither the gateway's "localhost" nor the subdomains of a browser.
      backchannel_logout_uri: "http://127.0.0.1:" + new URL(settings.gateway).port + "/oidc/backchannel-logout",
      backchannel_logout_session_required: true,
    },
  ],
  // Its own refuses addresses of this machine, which is where the gateway of a test is.
  fetch: (url, { dispatcher, ...options }) => fetch(url, options),
  cookies: { keys: ["a key for tests"] },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  claims: { openid: ["sub"], email: ["email"], profile: ["name"] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: id, name: id }) }),
  extraTokenClaims: (_, token) => ({ email: token.accountId, groups: settings.groups[token.accountId] ?? [] }),
  features: {
    devInteractions: { enabled: true },
    rpInitiatedLogout: { enabled: true },
    backchannelLogout: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => "urn:portal:api",
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: "openid email profile offline_access",
        audience: "urn:portal:api",
        accessTokenFormat: "jwt",
        accessTokenTTL: settings.accessTokenTtl,
        jwt: { sign: { alg: "RS256" } },
      }),
    },
  },
});

const counts = { refreshes: 0, logouts: 0, logoutErrors: [] };
provider.on("backchannel.success", () => counts.logouts++);
provider.on("backchannel.error", (_, error) => counts.logoutErrors.push(`${error} ${error.cause ?? ""}`));
provider.on("grant.success", (ctx) => ctx.oidc.params.grant_type === "refresh_token" && counts.refreshes++);
provider.use(async (ctx, next) => {
  if (ctx.path === "/counts") ctx.body = counts;
  else await next();
});
provider.listen(settings.port, "127.0.0.1", () => console.log("ready"));
