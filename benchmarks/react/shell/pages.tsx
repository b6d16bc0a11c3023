/** The pages that features have in common: list, one row, form; loading, failing and empty. Not counted. */

import { useRef, useState, type FormEvent, type ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { isApiError, type ListParams, type Page } from "./api";
import { t } from "./text";

/** What a list's hook gives, in either library. */
interface ListQuery<Row> {
  data?: { pages: Page<Row>[] } | undefined;
  error?: unknown;
  isLoading: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

interface RowQuery<Row> {
  data?: Row | undefined;
  error?: unknown;
  isLoading: boolean;
}

interface Action {
  mutateAsync: () => Promise<unknown>;
}

export function Failure({ error }: { error: unknown }): ReactNode {
  const status = isApiError(error) ? error.status : 503;
  return <p role="alert">{status === 404 ? t("There is no such page.") : t("The service does not answer.")}</p>;
}

export function useListParams(): ListParams {
  const [search] = useSearchParams();
  return { q: search.get("q") ?? undefined, sort: search.get("sort") ?? undefined };
}

export function ListPage<Row extends { id: string }>(props: {
  title: string;
  searchHint: string;
  sorts: Record<string, string>;
  create?: { to: string; label: string };
  query: ListQuery<Row>;
  columns: string[];
  row: (row: Row) => ReactNode;
}): ReactNode {
  const { title, query, create } = props;
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string): void =>
    setSearch((before) => {
      before.set(name, value);
      return before;
    });
  const rows = [...new Map(query.data?.pages.flatMap((page) => page.items).map((row) => [row.id, row])).values()];
  return (
    <main>
      <h1>{title}</h1>
      {create && <Link to={create.to}>{create.label}</Link>}
      <form role="search">
        <input
          type="search"
          placeholder={props.searchHint}
          defaultValue={search.get("q") ?? ""}
          onChange={(event) => set("q", event.target.value)}
        />
        <select value={search.get("sort") ?? ""} onChange={(event) => set("sort", event.target.value)}>
          {Object.entries({ "": t("Newest first"), createdAt: t("Oldest first"), ...props.sorts }).map(
            ([sort, label]) => (
              <option key={sort} value={sort}>
                {label}
              </option>
            ),
          )}
        </select>
      </form>
      {query.error ? <Failure error={query.error} /> : null}
      {query.isLoading && <p aria-busy="true" />}
      {query.data && rows.length === 0 && <p>{t("Nothing was found.")}</p>}
      {rows.length > 0 && (
        <table>
          <thead>
            <tr>
              {props.columns.map((column) => (
                <th key={column}>{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>{props.row(row)}</tr>
            ))}
          </tbody>
        </table>
      )}
      {query.hasNextPage && (
        <button disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          {t("Load more")}
        </button>
      )}
    </main>
  );
}

export function DetailPage<Row>(props: {
  query: RowQuery<Row>;
  title: (row: Row) => string;
  back: { to: string; label: string };
  remove?: { text: string; action: Action; done: () => void };
  facts: (row: Row) => Record<string, ReactNode>;
}): ReactNode {
  const { query, remove, back } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [failed, setFailed] = useState<unknown>(null);
  if (query.error && !query.data) return <Failure error={query.error} />;
  if (!query.data) return <p aria-busy="true" />;
  return (
    <main>
      <Link to={back.to}>{back.label}</Link>
      <h1>{props.title(query.data)}</h1>
      {failed ? <Failure error={failed} /> : null}
      <dl>
        {Object.entries(props.facts(query.data)).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value || "–"}</dd>
          </div>
        ))}
      </dl>
      {remove && (
        <>
          <button onClick={() => dialog.current?.showModal()}>{t("Delete")}</button>
          <dialog ref={dialog}>
            <p>{remove.text}</p>
            <button onClick={() => dialog.current?.close()}>{t("Cancel")}</button>
            <button onClick={() => remove.action.mutateAsync().then(remove.done, setFailed)}>{t("Delete")}</button>
          </dialog>
        </>
      )}
    </main>
  );
}

export function FormPage(props: {
  title: string;
  submit: string;
  back: { to: string; label: string };
  send: (values: Record<string, string>, idempotencyKey: string) => Promise<unknown>;
  children: (errors: Record<string, string[]>) => ReactNode;
}): ReactNode {
  const [error, setError] = useState<unknown>(null);
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [busy, setBusy] = useState(false);
  const fields = isApiError(error) ? error.fields : {};
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
    setBusy(true);
    props
      .send(Object.fromEntries(entries), key)
      .catch((failure: unknown) => {
        setError(failure);
        if (isApiError(failure) && failure.status === 422) setKey(crypto.randomUUID());
      })
      .finally(() => setBusy(false));
  };
  return (
    <main>
      <Link to={props.back.to}>{props.back.label}</Link>
      <h1>{props.title}</h1>
      {error && Object.keys(fields).length === 0 ? <Failure error={error} /> : null}
      <form onSubmit={onSubmit}>
        {props.children(fields)}
        <button disabled={busy}>{props.submit}</button>
      </form>
    </main>
  );
}

export function Field(props: {
  name: string;
  label: string;
  errors: Record<string, string[]>;
  type?: string;
  step?: string;
  optional?: boolean;
  options?: Record<string, string>;
}): ReactNode {
  const { name, errors, options } = props;
  const shared = { name, required: !props.optional, "aria-invalid": name in errors };
  return (
    <label>
      {props.label}
      {options ? (
        <select {...shared}>
          {Object.entries(options).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <input {...shared} type={props.type ?? "text"} step={props.step} />
      )}
      {errors[name]?.map((message) => (
        <span role="alert" key={message}>
          {message}
        </span>
      ))}
    </label>
  );
}

export function Tile({ label, value, to }: { label: string; value: number | undefined; to: string }): ReactNode {
  return (
    <Link to={to}>
      {label} <strong>{value ?? "–"}</strong>
    </Link>
  );
}
