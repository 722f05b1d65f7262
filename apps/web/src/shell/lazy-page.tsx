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
 * Creates a page from the function that loads its code, and shows nothing until then. `lazy` of React would delay
 * the page until 300 ms after its fallback.
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
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(() =>
      Loaded === undefined ? 'loading' : 'loaded',
    )
    useEffect(() => {
      if (state !== 'loading') return
      start().then(
        () => setState('loaded'),
        () => setState('failed'),
      )
    }, [state])
    if (Loaded !== undefined && state === 'loaded') return <Loaded {...props} />
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
