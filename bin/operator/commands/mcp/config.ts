import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { resolvePath } from '../../../command-line/arguments.ts';
import { serviceOption } from '../../../command-line/connection.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print, say } from '../../../command-line/output.ts';
import { writeOutput } from '../../../command-line/output-file.ts';
import { addCommand, type Group } from '../../program.ts';
import { chooseBaseUrl } from '../../service.ts';

/** The configuration of each AI client, the file for it, and how the client gets the key. */
const clients = {
  'claude-code': {
    file: '.mcp.json in your project',
    note: 'Set VAP_API_KEY in the shell that starts Claude Code.',
    configure: (url: string) => ({
      mcpServers: { 'voice-agents': { type: 'http', url, headers: { 'X-Authorization': `\${VAP_API_KEY}` } } },
    }),
  },
  cursor: {
    file: '.cursor/mcp.json in your project',
    note: 'Set VAP_API_KEY in the environment of Cursor.',
    configure: (url: string) => ({
      mcpServers: { 'voice-agents': { url, headers: { 'X-Authorization': `\${env:VAP_API_KEY}` } } },
    }),
  },
  vscode: {
    file: '.vscode/mcp.json in your project',
    note: 'VS Code asks for the key once.',
    configure: (url: string) => ({
      inputs: [
        { type: 'promptString', id: 'vap-api-key', description: 'Voice Agent Platform API key', password: true },
      ],
      servers: { 'voice-agents': { type: 'http', url, headers: { 'X-Authorization': `\${input:vap-api-key}` } } },
    }),
  },
  inspector: {
    file: 'a file for the MCP Inspector',
    note: 'Start it by: npx @modelcontextprotocol/inspector --config FILE --server voice-agents --header "X-Authorization: $VAP_API_KEY"',
    configure: (url: string) => ({ mcpServers: { 'voice-agents': { type: 'http', url } } }),
  },
};

const names = Object.keys(clients) as (keyof typeof clients)[];

export const showMcpConfiguration = (mcp: Group) =>
  addCommand(mcp, 'mcp config', 'Print the configuration of an AI client, without a key', [
    '--client claude-code --output .mcp.json',
    '--client cursor --stack voice-agents-prod --output .cursor/mcp.json',
  ])
    .addOption(new Option('--client <name>', 'the AI client').choices(names).makeOptionMandatory())
    .option('--output <file>', 'the file to write, with its folder (default: standard output)')
    .option(...serviceOption)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { file, note, configure } = clients[options.client as keyof typeof clients];
      const configuration = configure(`${await chooseBaseUrl(options)}/mcp`);
      const { output } = options;
      if (output === undefined) {
        if (!options.json) say(`Put this into ${file}. ${note}`);
        return print(options, configuration, () => JSON.stringify(configuration, null, 2));
      }
      if (existsSync(resolvePath(output))) {
        throw new CommandError(
          `${output} exists, and may have other servers. Print the configuration without --output, and add it there.`,
          exitCodes.usage,
        );
      }
      await mkdir(dirname(resolvePath(output)), { recursive: true });
      await writeOutput(output, [`${JSON.stringify(configuration, null, 2)}\n`]);
      print(options, { output }, () => `${output} written. ${note}`);
    });
