import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import type { ServersOptions } from './options.ts'
import { withHost } from './with-host.ts'

/** Runs `troupe servers logout <name> [paths…]`: deletes the stored login of a server. */
export function logoutCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, options, context, async (host) => {
    const wasLoggedIn = await host.servers.logOut(name)
    const said = wasLoggedIn ? 'Logged out of' : 'There was no login to'
    context.terminal.stdout.write(
      options.json === true
        ? `${JSON.stringify({ server: name, removed: wasLoggedIn })}\n`
        : `${said} ${plainText(name)}.\n`,
    )
    return EXIT.completed
  })
}
