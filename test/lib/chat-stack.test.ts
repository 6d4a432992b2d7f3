import { expect, it } from 'vitest';
import { chatAddressTokensKey, chatTokensKey, chatTurnsKey } from '../../functions/store/keys.ts';
import { buildPages, type PageFile } from '../../lib/pages.ts';
import {
  type Deployment,
  everySetting,
  findFunction,
  findRole,
  getDeployment,
  inProduction,
  type Json,
  noEdge,
  required,
  streamed,
} from '../support/deployment.ts';

const dev = getDeployment();
const prod = getDeployment(inProduction);
const configured = getDeployment(everySetting);
const withoutEdge = getDeployment(noEdge);

const [endpoint] = streamed as [(typeof streamed)[number]];

it('the chat streams from a Function URL that anyone may call, through both permissions AWS asks for', () => {
  const urls = dev.all('AWS::Lambda::Url');
  expect(urls).toHaveLength(1);
  expect(urls[0]?.properties).toMatchObject({ AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' });
  const permissions = dev.all('AWS::Lambda::Permission').filter(({ part }) => part === 'Chat');
  expect(permissions.map(({ properties }) => properties)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE', Principal: '*' }),
      expect.objectContaining({ Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true, Principal: '*' }),
    ]),
  );
  expect(permissions).toHaveLength(2);
});

it('the chat may take a minute, and holds no more than its share of the account', () => {
  const { properties } = findFunction(dev, endpoint.name);
  expect(properties).toMatchObject({ Timeout: 60, ReservedConcurrentExecutions: 20, MemorySize: 1024 });
  expect(findFunction(configured, endpoint.name).properties.ReservedConcurrentExecutions).toBeUndefined();
});

it('the chat lets scripts of the application read the stream, and no others', () => {
  const { Cors } = dev.all('AWS::Lambda::Url')[0]?.properties ?? {};
  expect(Cors).toMatchObject({
    AllowOrigins: ['https://app.example.com'],
    AllowMethods: ['POST'],
    AllowHeaders: ['content-type', 'x-authorization', 'authorization'],
  });
});

it('the chat may count its own usage and call its model, and has no permissions for the data of its tools', () => {
  const { Statement } = findRole(dev, findFunction(dev, endpoint.name)).properties.Policies[0].PolicyDocument;
  const onTable = Statement.filter(
    ({ Action, Effect }: Json) => Effect === 'Allow' && String(Action).includes('dynamodb:'),
  );
  expect(onTable).toMatchObject([
    {
      Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['CHAT#*'] } },
    },
    {
      Action: 'dynamodb:GetItem',
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['FORMAT'] } },
    },
  ]);
  expect(chatTurnsKey('10.0.0.1', 1).pk).toMatch(/^CHAT#/);
  expect(chatTokensKey('2026-03-01').pk).toMatch(/^CHAT#/);
  expect(chatAddressTokensKey('2026-03-01', '10.0.0.1').pk).toMatch(/^CHAT#/);
  expect(JSON.stringify(Statement)).not.toMatch(/"(s3|sqs):/);
});

it('the chat may invoke the model that is set and no other, by profile or by model', () => {
  const listResources = (deployment: Deployment) => {
    const role = findRole(deployment, findFunction(deployment, endpoint.name));
    const statement = role.properties.Policies[0].PolicyDocument.Statement.find((one: Json) =>
      one.Action.startsWith?.('bedrock:'),
    );
    return JSON.stringify(statement.Resource);
  };
  expect(listResources(configured)).toMatch(/::foundation-model\/anthropic\.claude-x-v1:0"\]\]\}$/);
  const byProfile = listResources(prod);
  expect(byProfile).toMatch(/:inference-profile\/eu\.anthropic\.claude-x-v1:0"/);
  expect(byProfile).toMatch(/bedrock:\*::foundation-model\/anthropic\.claude-x-v1:0"/);
  expect(listResources(withoutEdge)).toBe(JSON.stringify(noEdge.chatModelId));
});

it('a deployment can have no chat: it has no public Function URL then, no page of the chat, and no alarm of a chat', () => {
  const withoutChat = getDeployment({ ...required, chat: 'off' });
  expect(withoutChat.all('AWS::Lambda::Url')).toEqual([]);
  expect(findFunction(withoutChat, endpoint.name)).toBeUndefined();
  expect(withoutChat.outputs.ChatUrl).toBeUndefined();
  expect(JSON.stringify(withoutChat.all('AWS::CloudWatch::Alarm'))).not.toContain('Chat');
});

it('the pages of a deployment without the chat do not link to it, and the root address leads to the console', {
  tags: 'heavy',
}, () => {
  const filterHtml = (pages: PageFile[]) => pages.filter(({ contentType }) => contentType.startsWith('text/html'));
  const listLinks = ({ body }: PageFile) =>
    Buffer.from(body)
      .toString()
      .match(/<a href="\/chat"[ >]/g) ?? [];
  const [all, others] = [buildPages(), buildPages({ hasChat: false })].map(filterHtml) as [PageFile[], PageFile[]];
  // The console has the chat among its views.
  const withoutHeader = all.filter((page) => listLinks(page).length !== 1);
  expect(withoutHeader.map(({ path }) => path)).toEqual(['/console', '/']);
  expect(others.filter((page) => listLinks(page).length > 0)).toEqual([]);
  const listPaths = (pages: PageFile[]) => pages.map(({ path }) => path).sort();
  expect(listPaths(others)).toEqual(listPaths(all).filter((path) => path !== '/chat'));
  for (const pages of [all, others]) {
    expect(pages.find(({ path }) => path === '/')?.body.toString()).toContain('content="0; url=/console"');
  }
});
