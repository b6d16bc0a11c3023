import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "react-router";
import { DetailPage, Field, FormPage, ListPage, useListParams } from "../shell/pages";
import { day, money, t } from "../shell/text";
import {
  paymentQuery,
  paymentsQuery,
  useCreatePayment,
  useDeletePayment,
  type Payment,
  type PaymentMethod,
} from "./payments_api";

const back = { to: "/finance/payments", label: t("Payments") };
const methods: Record<PaymentMethod, string> = {
  transfer: t("Transfer"),
  card: t("Card"),
  direct_debit: t("Direct debit"),
};

export function Payments() {
  return (
    <ListPage
      title={t("Payments")}
      searchHint={t("Payer or reference")}
      sorts={{ "-amount": t("Highest amount first") }}
      create={{ to: "new", label: t("New payment") }}
      query={useInfiniteQuery(paymentsQuery(useListParams()))}
      columns={[t("Payer"), t("Reference"), t("Method"), t("Received"), t("Amount")]}
      row={(payment) => (
        <>
          <th>
            <Link to={payment.id}>{payment.payer || payment.id}</Link>
          </th>
          <td>{payment.reference}</td>
          <td>{methods[payment.method] ?? payment.method}</td>
          <td>{day(payment.receivedAt)}</td>
          <td>{money(payment.amount, payment.currency)}</td>
        </>
      )}
    />
  );
}

export function PaymentDetail() {
  const { id = "" } = useParams();
  const navigate = useNavigate();
  return (
    <DetailPage<Payment>
      query={useQuery(paymentQuery(id))}
      title={(payment) => payment.payer || payment.id}
      back={back}
      remove={{
        text: t("The payment is deleted for good."),
        action: useDeletePayment(id),
        done: () => navigate(back.to),
      }}
      facts={(payment) => ({
        [t("Reference")]: payment.reference,
        [t("Method")]: methods[payment.method] ?? payment.method,
        [t("Received")]: day(payment.receivedAt),
        [t("Amount")]: money(payment.amount, payment.currency),
      })}
    />
  );
}

export function NewPayment() {
  const create = useCreatePayment();
  const navigate = useNavigate();
  const send = async (values: Record<string, string>, idempotencyKey: string) => {
    const { payer = "", reference, amount = "", method, receivedAt = "" } = values;
    const body = { payer, reference, amount, method: method as PaymentMethod, receivedAt: `${receivedAt}Z` };
    await create.mutateAsync({ body, idempotencyKey });
    await navigate(back.to);
  };
  return (
    <FormPage title={t("New payment")} submit={t("Create")} back={back} send={send}>
      {(errors) => (
        <>
          <Field name="payer" label={t("Payer")} errors={errors} />
          <Field name="reference" label={t("Reference")} errors={errors} optional />
          <Field name="amount" label={t("Amount")} errors={errors} type="number" step="0.01" />
          <Field name="method" label={t("Method")} errors={errors} options={methods} />
          <Field name="receivedAt" label={t("Received")} errors={errors} type="datetime-local" />
        </>
      )}
    </FormPage>
  );
}
