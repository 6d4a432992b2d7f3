import { Option } from '@commander-js/extra-typings';
import { print, say } from '../../../command-line/output.ts';
import { examples, type Group } from '../../program.ts';
import { baseUrlOf } from '../../service.ts';

/** The configuration of each AI client for an address, and the file that it belongs in. None contains a key. */
const clients = {
  'claude-code': {
    file: '.mcp.json in your project; set VAP_API_KEY in the shell that starts Claude Code',
    configure: (url: string) => ({
      mcpServers: { 'voice-agents': { type: 'http', url, headers: { 'X-Authorization': `\${VAP_API_KEY}` } } },
    }),
  },
  cursor: {
    file: '.cursor/mcp.json in your project; set VAP_API_KEY in the environment of Cursor',
    configure: (url: string) => ({
      mcpServers: { 'voice-agents': { url, headers: { 'X-Authorization': `\${env:VAP_API_KEY}` } } },
    }),
  },
  vscode: {
    file: '.vscode/mcp.json in your project; VS Code asks for the key once',
    configure: (url: string) => ({
      inputs: [
        { type: 'promptString', id: 'vap-api-key', description: 'Voice Agent Platform API key', password: true },
      ],
      servers: { 'voice-agents': { type: 'http', url, headers: { 'X-Authorization': `\${input:vap-api-key}` } } },
    }),
  },
  inspector: {
    file: 'a file for the MCP Inspector: npx @modelcontextprotocol/inspector --config FILE --server voice-agents --header "X-Authorization: $VAP_API_KEY"',
    configure: (url: string) => ({ mcpServers: { 'voice-agents': { type: 'http', url } } }),
  },
};

const names = Object.keys(clients) as (keyof typeof clients)[];

export const showMcpConfiguration = (mcp: Group) =>
  mcp
    .command('config')
    .description('Print the configuration of an AI client, without a key')
    .addOption(new Option('--client <name>', 'the AI client').choices(names).makeOptionMandatory())
    .option('--base-url <url>', 'the address of the service (default: of the local run or the --stack)')
    .addHelpText(
      'after',
      examples('mcp config --client claude-code > .mcp.json', 'mcp config --client cursor --stack voice-agents-prod'),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { file, configure } = clients[options.client as keyof typeof clients];
      const configuration = configure(`${(await baseUrlOf(options)).replace(/\/+$/, '')}/mcp`);
      if (!options.json) say(`Put this into ${file}.`);
      print(options, configuration, () => JSON.stringify(configuration, null, 2));
    });
