import type { AppsManifestCreateArguments } from '@slack/web-api'

type Manifest = AppsManifestCreateArguments['manifest']

/** The parts of the manifest that other modules read. */
interface SlackManifest {
  readonly oauth_config: {
    readonly scopes: { readonly bot: readonly string[]; readonly bot_optional: readonly string[] }
  }
  readonly settings: { readonly event_subscriptions: { readonly bot_events: readonly string[] } }
}

const manifest = {
  display_information: {
    name: 'Troupe',
    description: 'A team of agents that answers in threads',
  },
  features: {
    agent_view: { agent_description: 'Ask a team of agents. A thread is a conversation.' },
    app_home: {
      home_tab_enabled: false,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    },
    bot_user: { display_name: 'troupe', always_online: true },
    slash_commands: [
      {
        command: '/troupe',
        description: 'Ask the team',
        usage_hint: '<question> | agents | usage | help',
        should_escape: true,
      },
    ],
  },
  oauth_config: {
    scopes: {
      bot: [
        'app_mentions:read',
        'assistant:write',
        'channels:read',
        'chat:write',
        'commands',
        'files:read',
        'files:write',
        'groups:read',
        'im:history',
      ],
      bot_optional: ['channels:history', 'groups:history'],
    },
  },
  settings: {
    event_subscriptions: {
      bot_events: ['app_context_changed', 'app_home_opened', 'app_mention', 'message.im'],
    },
    interactivity: { is_enabled: true },
    org_deploy_enabled: false,
    socket_mode_enabled: true,
    token_rotation_enabled: false,
  },
} as const satisfies ManifestShape<Manifest>

/** The manifest of the Slack app. `vitest run --project slack manifest -u` writes it to `manifest.json`. */
export const MANIFEST: SlackManifest = manifest

/**
 * The manifest type with the scope `assistant:write`, which agents need and the types of Slack's client omit.
 */
type ManifestShape<T> = T extends 'app_mentions:read'
  ? T | 'assistant:write'
  : T extends object
    ? { readonly [Key in keyof T]: ManifestShape<T[Key]> }
    : T
