import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import { withHost, type ServersOptions } from './with-host.ts'

/**
 * Runs `troupe servers login <name> [paths…]`: prints the login page, waits for the redirect of the browser,
 * and stores the login.
 */
export function loginCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr } = context.terminal
  return withHost(paths, options, context, async (host) => {
    const { tools } = await host.servers.logIn(name, {
      signal: context.stop.signal,
      show: (url) =>
        stderr.write(
          `Open this page to log in to ${plainText(name)}:\n\n  ${url.href}\n\nWaiting for the login. Press Ctrl-C to cancel.\n`,
        ),
    })
    stdout.write(
      options.json === true
        ? `${JSON.stringify({ server: name, tools })}\n`
        : `Logged in to ${plainText(name)}: ${tools} tools.\n`,
    )
    return EXIT.completed
  })
}

/** Runs `troupe servers logout <name> [paths…]`: deletes the stored login of a server. */
export function logoutCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, options, context, async (host) => {
    const wasLoggedIn = await host.servers.logOut(name)
    const said = wasLoggedIn ? 'Logged out of' : 'No login was stored for'
    context.terminal.stdout.write(
      options.json === true
        ? `${JSON.stringify({ server: name, removed: wasLoggedIn })}\n`
        : `${said} ${plainText(name)}.\n`,
    )
    return EXIT.completed
  })
}
