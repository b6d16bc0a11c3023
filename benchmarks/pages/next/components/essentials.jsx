'use client'

import { useQuery } from '@tanstack/react-query'
import { fetchMe } from '../lib/browser'
import { messagesOf } from '../lib/messages'
import { meKey } from '../lib/queries'

const initials = (name) => name.split(' ').map((part) => part[0]).slice(0, 2).join('')

export function Essentials({ locale }) {
  const { data } = useQuery({ queryKey: meKey(), queryFn: fetchMe })
  if (!data) return <div className="account" id="essentials" />
  return (
    <div className="account" id="essentials">
      <a className="account-who" href={`/${locale}/profile`} title={messagesOf(locale).profile}>
        <span className="avatar" aria-hidden="true">{initials(data.name)}</span>
        <span className="account-text">
          <span className="account-name">{data.name}</span>
          <span className="account-mail">{data.email}</span>
        </span>
      </a>
    </div>
  )
}
