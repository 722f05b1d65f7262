import { useState, type ReactElement } from 'react'
import { client, type RequestFailure } from '../api/client.ts'
import { useAction } from '../api/use-request.ts'
import { Button } from '../ui/button.tsx'
import { Field, TextInput } from '../ui/field.tsx'
import { FailureNotice } from '../ui/notice.tsx'
import { Wordmark } from './shell.tsx'

/** Asks for the token of the server, which stores it in a cookie that scripts cannot read. */
export function SignIn({ onDone }: { readonly onDone: () => void }): ReactElement {
  const [token, setToken] = useState('')
  const signIn = useAction(() => client.signIn(token.trim()), onDone)
  return (
    <main className="grid h-full place-items-center p-6">
      <form
        className="flex w-full max-w-sm flex-col gap-4 rounded-xl border border-line bg-panel p-6"
        onSubmit={(event) => {
          event.preventDefault()
          signIn.run()
        }}
      >
        <Wordmark />
        <h1 className="text-small text-muted">This server requires a token.</h1>
        <Field label="Token" hint="The token that was passed to `troupe serve --token`.">
          {(props) => (
            <TextInput
              {...props}
              type="password"
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        {signIn.failure === undefined ? null : <FailureNotice failure={withPageFix(signIn.failure)} />}
        <Button tone="solid" type="submit" disabled={signIn.isBusy || token.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  )
}

/** Replaces the server's advice on sending a token, which is meant for programs. */
function withPageFix(failure: RequestFailure): RequestFailure {
  if (failure.code !== 'token_required') return failure
  return {
    ...failure,
    remediation: 'Check it for typos.',
  }
}
