import { CloudOff } from 'lucide-react'
import { useEffect, useState, type ComponentType, type ReactElement } from 'react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/notice.tsx'

/** A page whose code is loaded when it is first shown, or before that by `preload`. */
export interface LazyPage<Props> {
  (props: Props): ReactElement | null
  /** Starts to load the code. */
  preload(): void
}

/**
 * Creates a page from the function that loads its code. It shows nothing until the code is there. `lazy` of
 * React would do the same, but shows a page at least 300 ms after its empty place.
 */
export function lazyPage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  let Loaded: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  const start = (): Promise<void> =>
    (loading ??= load().then(
      (page) => {
        Loaded = page
      },
      (thrown: unknown) => {
        // the next visit tries again
        loading = undefined
        throw thrown
      },
    ))
  function Page(props: Props): ReactElement | null {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
    useEffect(() => {
      if (Loaded !== undefined) return
      start().then(
        () => setState('loaded'),
        () => setState('failed'),
      )
    }, [])
    if (Loaded !== undefined) return <Loaded {...props} />
    return state === 'failed' ? <FailedPage /> : null
  }
  Page.preload = (): void => {
    // the page reports a failure when it is shown
    start().catch(() => undefined)
  }
  return Page
}

function FailedPage(): ReactElement {
  return (
    <EmptyState
      isPage
      icon={<CloudOff className="size-5" />}
      title="This page could not be loaded"
      action={<Button onClick={() => location.reload()}>Reload</Button>}
    >
      The server did not answer, or was updated since this page was opened.
    </EmptyState>
  )
}
