import type { ReactElement } from 'react'
import { Notice } from '../ui/notice.tsx'
import { useServerLink } from './use-server-link.ts'

/** Shows on every page that the server does not respond. */
export function ServerNote(): ReactElement {
  const { isLost } = useServerLink()
  // Always rendered, so that a screen reader announces its content.
  return (
    <div role="alert">
      {isLost ? (
        <Notice tone="warn" className="mx-4 mt-3 sm:mx-6">
          The server does not answer. What you see may be out of date. The page keeps trying and goes on by
          itself.
        </Notice>
      ) : null}
    </div>
  )
}
