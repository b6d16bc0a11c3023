/** The one API of an app with RTK Query: features add their endpoints to it. Not counted. */

import { createApi } from "@reduxjs/toolkit/query/react";
import { call, isApiError, type ApiError } from "./api";

export type Args = { path: string } & NonNullable<Parameters<typeof call>[1]>;

export const api = createApi({
  reducerPath: "api",
  tagTypes: ["Summary"],
  baseQuery: async ({ path, ...options }: Args): Promise<{ data: unknown } | { error: ApiError }> => {
    try {
      return { data: await call<unknown>(path, options) };
    } catch (error) {
      return { error: isApiError(error) ? error : { status: 503, detail: "", fields: {} } };
    }
  },
  endpoints: () => ({}),
});
