import { type ListParams, type Page } from "../shell/api";
import { api } from "../shell/rtk";

export type PaymentMethod = "transfer" | "card" | "direct_debit";

export interface Payment {
  id: string;
  payer: string;
  reference: string | null;
  amount: string;
  currency: string;
  method: PaymentMethod;
  receivedAt: string;
  createdAt: string;
}

export type PaymentCreate = Pick<Payment, "payer" | "amount" | "method" | "receivedAt"> & { reference?: string };

const PATH = "/finance/payments";

export const { useGetPaymentsInfiniteQuery, useGetPaymentQuery, useCreatePaymentMutation, useDeletePaymentMutation } =
  api.enhanceEndpoints({ addTagTypes: ["Payment"] }).injectEndpoints({
    endpoints: (build) => ({
      getPayments: build.infiniteQuery<Page<Payment>, ListParams, string | null>({
        infiniteQueryOptions: {
          initialPageParam: null,
          getNextPageParam: (last) => (last.hasNext ? last.nextCursor : undefined),
        },
        query: ({ queryArg, pageParam }) => ({ path: PATH, query: { ...queryArg, cursor: pageParam, limit: 20 } }),
        providesTags: [{ type: "Payment", id: "LIST" }],
      }),
      getPayment: build.query<Payment, string>({
        query: (id) => ({ path: `${PATH}/${encodeURIComponent(id)}` }),
        providesTags: (_data, _error, id) => [{ type: "Payment", id }],
      }),
      createPayment: build.mutation<Payment, { body: PaymentCreate; idempotencyKey: string }>({
        query: ({ body, idempotencyKey }) => ({ path: PATH, method: "POST", body, idempotencyKey }),
        invalidatesTags: [{ type: "Payment", id: "LIST" }],
      }),
      deletePayment: build.mutation<void, string>({
        query: (id) => ({ path: `${PATH}/${encodeURIComponent(id)}`, method: "DELETE" }),
        invalidatesTags: (_data, _error, id) => [
          { type: "Payment", id: "LIST" },
          { type: "Payment", id },
        ],
      }),
    }),
  });
