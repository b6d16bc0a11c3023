import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type ListParams, type Page } from "../shell/api";

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
const keys = {
  all: ["payments"] as const,
  lists: () => [...keys.all, "list"] as const,
  list: (params: ListParams) => [...keys.lists(), params] as const,
  detail: (id: string) => [...keys.all, "detail", id] as const,
};

export const paymentsQuery = (params: ListParams = {}) =>
  infiniteQueryOptions({
    queryKey: keys.list(params),
    queryFn: ({ pageParam }) => call<Page<Payment>>(PATH, { query: { ...params, cursor: pageParam, limit: 20 } }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.hasNext ? last.nextCursor : undefined),
  });

export const paymentQuery = (id: string) =>
  queryOptions({
    queryKey: keys.detail(id),
    queryFn: () => call<Payment>(`${PATH}/${encodeURIComponent(id)}`),
  });

export function useCreatePayment() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: PaymentCreate; idempotencyKey: string }) =>
      call<Payment>(PATH, { method: "POST", body, idempotencyKey }),
    onSuccess: (payment) => {
      client.setQueryData(keys.detail(payment.id), payment);
      return client.invalidateQueries({ queryKey: keys.lists() });
    },
  });
}

export function useDeletePayment(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call<void>(`${PATH}/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: () => {
      client.removeQueries({ queryKey: keys.detail(id) });
      return client.invalidateQueries({ queryKey: keys.lists() });
    },
  });
}
