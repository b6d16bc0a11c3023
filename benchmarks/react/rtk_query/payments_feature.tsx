import type { Feature } from "../shell/app";
import { Tile } from "../shell/pages";
import { t } from "../shell/text";
import { useGetPaymentsInfiniteQuery } from "./payments_api";
import { NewPayment, PaymentDetail, Payments } from "./payments_pages";

function PaymentsTile() {
  const { data } = useGetPaymentsInfiniteQuery({});
  return <Tile label={t("Payments")} value={data?.pages[0]?.total} to="/finance/payments" />;
}

export const payments: Feature = {
  routes: [
    { path: "finance/payments", Component: Payments },
    { path: "finance/payments/new", Component: NewPayment },
    { path: "finance/payments/:id", Component: PaymentDetail },
  ],
  navigation: [{ to: "/finance/payments", label: t("Payments"), icon: "payments" }],
  tiles: [PaymentsTile],
};
