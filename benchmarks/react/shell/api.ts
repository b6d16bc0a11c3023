/** What an app gives to its features: calls to the backend, with the bearer and one refresh. Not counted. */

export interface Page<Row> {
  items: Row[];
  hasNext: boolean;
  nextCursor: string | null;
  total: number;
}

export interface ListParams {
  q?: string;
  sort?: string;
}

/** A failed call. `fields`: the backend's messages by the name of the field; empty for any failure but a 422. */
export interface ApiError {
  status: number;
  detail: string;
  fields: Record<string, string[]>;
}

export const isApiError = (error: unknown): error is ApiError =>
  typeof error === "object" && error !== null && "fields" in error;

type Query = Record<string, string | number | null | undefined>;

interface Call {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  query?: Query;
  body?: unknown;
  idempotencyKey?: string;
}

const tokens: { access: string; refresh: () => Promise<boolean> } = { access: "", refresh: async () => false };

async function send(path: string, { method = "GET", query = {}, body, idempotencyKey }: Call): Promise<Response> {
  const given = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] != null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return fetch(`/api${path}?${search}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens.access}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

export async function call<Data>(path: string, options: Call = {}): Promise<Data> {
  let response = await send(path, options);
  if (response.status === 401 && (await tokens.refresh())) response = await send(path, options);
  if (response.status === 204) return undefined as Data;
  const content = await response.json();
  if (response.ok) return content as Data;
  const error: ApiError = { status: response.status, detail: content.detail ?? "", fields: content.errors ?? {} };
  throw error;
}
