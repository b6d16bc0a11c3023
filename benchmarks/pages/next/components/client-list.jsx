'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { fetchClients } from '../lib/browser'
import { formatsOf, messagesOf } from '../lib/messages'
import { SORTS, clientsKey } from '../lib/queries'
import { Plus, Refresh, Search } from './icons'

export function ClientList({ locale, pathname, params }) {
  const t = messagesOf(locale)
  const format = formatsOf(locale)
  const list = useInfiniteQuery({
    queryKey: clientsKey(params),
    queryFn: ({ pageParam }) => fetchClients(params, pageParam),
    initialPageParam: null,
    getNextPageParam: (page) => (page.hasNext ? page.nextCursor : undefined),
  })
  const rows = list.data.pages.flatMap((page) => page.items)
  const next = list.data.pages.at(-1).nextCursor
  const loadMore = (event) => {
    event.preventDefault()
    list.fetchNextPage()
  }
  return (
    <>
      <header className="head">
        <div className="head-text"><h1>{t.clients}</h1><p className="lede">{t.lede}</p></div>
        <div className="actions"><Link className="button primary" href={`${pathname}/new`}><Plus />{t.newClient}</Link></div>
      </header>
      <section className="card" aria-label={t.clients}>
        <form className="toolbar" role="search" method="get" action={pathname}>
          <div className="search">
            <Search />
            <label className="visually-hidden" htmlFor="search">{t.search}</label>
            <input id="search" type="search" name="q" defaultValue={params.q ?? ''} maxLength={200} autoComplete="off"
              placeholder={t.hint} />
          </div>
          <div className="sort">
            <label className="visually-hidden" htmlFor="sort">{t.sortBy}</label>
            <select id="sort" name="sort" defaultValue={params.sort ?? SORTS[0]}>
              {SORTS.map((sort) => <option key={sort} value={sort}>{t[sort]}</option>)}
            </select>
          </div>
          <button className="button without-scripts">{t.apply}</button>
          <p className="visually-hidden" id="list-status" role="status" />
        </form>
        <div className="list" id="list">
          <table className="table">
            <caption className="visually-hidden">{t.clients}</caption>
            <thead>
              <tr>
                <th scope="col">{t.columnName}</th>
                <th scope="col">{t.email}</th>
                <th scope="col">{t.phone}</th>
                <th scope="col">{t.city}</th>
                <th scope="col">{t.since}</th>
              </tr>
            </thead>
            <tbody id="rows">
              {rows.map((row) => (
                <tr key={row.id} data-row-id={row.id}>
                  <th scope="row"><Link href={`${pathname}/${encodeURIComponent(row.id)}`}>{row.name || row.id}</Link></th>
                  <td className="wide" data-label={t.email}>{row.email}</td>
                  <td className={row.phone ? 'nowrap' : 'nowrap blank'} data-label={t.phone}>{row.phone}</td>
                  <td data-label={t.city} className={row.city ? undefined : 'blank'}>{row.city}</td>
                  <td data-label={t.since}>
                    <time dateTime={row.createdAt} data-local="day">{format.day.format(new Date(row.createdAt))}</time>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div className="more" id="more">
            <span className="more-facts">
              <span>{t.total(format.number.format(list.data.pages[0].total))}</span>
              <span className="as-of">
                <span>
                  <time data-as-of="" dateTime={new Date(list.dataUpdatedAt).toISOString()} data-local="clock">
                    {t.asOf(`${format.clock.format(list.dataUpdatedAt)} UTC`)}
                  </time>
                </span>
                <a className="button quiet small" data-refresh="" href=""><Refresh />{t.refresh}</a>
              </span>
            </span>
            <span className="actions">
              {next && (
                <a className="button small" id="load-more" rel="next" href={`${pathname}?cursor=${encodeURIComponent(next)}`}
                  onClick={loadMore}>{t.more}</a>
              )}
            </span>
          </div>
        </div>
      </section>
    </>
  )
}
