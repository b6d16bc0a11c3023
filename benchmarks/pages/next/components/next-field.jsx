'use client'

import { useSearchParams } from 'next/navigation'

export const NextField = () => <input type="hidden" name="next" id="id_next" defaultValue={useSearchParams().get('next') ?? ''} />
