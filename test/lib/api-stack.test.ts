import { expect, it } from 'vitest';
import { toKebabCase } from '../../functions/domain/text.ts';
import { functionRoutes } from '../../functions/http/endpoint.ts';
import { answered, getDeployment, inProduction, meant, type Resource, required } from '../support/deployment.ts';

/** The route of an endpoint. That of the hooks is greedy. */
const formKey = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replace('/hooks/{platform}', '/hooks/{platform+}')}`;
const ours = answered.flatMap(functionRoutes).map(formKey);

const dev = getDeployment();
const prod = getDeployment(inProduction);
/** The integration of a route of the API's own stacks. */
const findIntegration = (key: string) => {
  const route = dev.all('AWS::ApiGatewayV2::Route').find(({ properties }) => properties.RouteKey === key) as Resource;
  const id = route.properties.Target['Fn::Join'][1][1].Ref;
  return dev.resources.find(({ part, logicalId }) => part === route.part && logicalId === id) as Resource;
};

const both = [
  ['dev', dev],
  ['prod', prod],
] as const;

it.each(both)(
  'the API in %s has a route for every endpoint that is answered at once and for the pages, and no other',
  (_, deployment) => {
    const keys = deployment.all('AWS::ApiGatewayV2::Route').map(({ properties }) => properties.RouteKey);
    const pages = [
      'GET /',
      'GET /assets/{file}',
      'GET /chat',
      'GET /console',
      'GET /console/{view}',
      'GET /docs',
      'GET /docs/{page}',
      'GET /llms.txt',
    ];
    const gets = [...ours, ...pages].filter((key) => key.startsWith('GET '));
    const heads = gets.map((key) => key.replace('GET', 'HEAD'));
    expect(keys.sort()).toEqual([...ours, ...pages, ...heads].sort());
  },
);

it('the API hands each route to the function of its endpoint, by payload 2.0', () => {
  for (const endpoint of answered) {
    const integration = findIntegration(formKey(endpoint));
    expect(integration.properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
    const functionName = `voice-agents-dev-${toKebabCase(endpoint.name)}`;
    const uri = integration.properties.IntegrationUri;
    // The function of the hooks is created later, so that only its name is known.
    if (uri['Fn::Join']) expect(uri['Fn::Join'][1].at(-1)).toBe(`:function:${functionName}`);
    else expect(meant(dev, integration, uri).properties.FunctionName).toBe(functionName);
  }
});

it('the API may invoke each function only by its own route', () => {
  const permissions = dev
    .all('AWS::Lambda::Permission')
    .filter(({ part }) => ['AdditionalApi', 'Api', 'Hooks', 'OAuth', 'Users'].includes(part));
  expect(permissions).toHaveLength(ours.length + 8);
  for (const { properties } of permissions) {
    expect(properties).toMatchObject({ Action: 'lambda:InvokeFunction', Principal: 'apigateway.amazonaws.com' });
    const source = properties.SourceArn['Fn::Join'][1].at(-1) as string;
    if (source === '/*/POST/hooks/*') continue;
    expect(source).toMatch(/^\/\*\/\*\//);
    const paths = [
      ...answered.flatMap(functionRoutes).map(({ path }) => path),
      '/',
      '/chat',
      '/console',
      '/console/*',
      '/docs',
      '/docs/*',
      '/llms.txt',
      '/assets/*',
    ];
    expect(paths.map((path) => `/*/*${path.replace(/\{[^}]+\}/g, '*')}`)).toContain(source.replace(/\{[^}]+\}/g, '*'));
  }
});

it('the API hands HEAD to the integration of GET', () => {
  const heads = dev.all('AWS::ApiGatewayV2::Route').filter(({ properties }) => properties.RouteKey.startsWith('HEAD '));
  expect(heads.length).toBeGreaterThan(30);
  for (const { properties } of heads) {
    const { logicalId } = findIntegration(properties.RouteKey.replace('HEAD', 'GET'));
    // The reference is a parameter of the stack, named after the integration, with another hash.
    expect(properties.Target['Fn::Join'][1][1].Ref).toContain(logicalId.replace(/[0-9A-F]{8}$/, ''));
  }
});

it('each operation at call time has a rate of its own, and its route exists before the settings of the stage', () => {
  const deployment = getDeployment({ ...required, requestsPerSecond: '20', callTimeRequestsPerSecond: '70' });
  const [stage] = deployment.all('AWS::ApiGatewayV2::Stage') as [Resource];
  expect(stage.properties.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 });
  const keys = answered.filter(({ atCallTime }) => atCallTime).map(formKey);
  const rate = { ThrottlingRateLimit: 70, ThrottlingBurstLimit: 140 };
  expect(stage.properties.RouteSettings).toEqual(Object.fromEntries(keys.map((key) => [key, rate])));
  const before = (stage.definition.DependsOn as string[]).map(
    (id) => deployment.resources.find(({ part, logicalId }) => part === stage.part && logicalId === id) as Resource,
  );
  expect(before.map(({ properties }) => properties.RouteKey)).toEqual(expect.arrayContaining(keys));
});

it('concurrency is reserved in production for the functions that a call waits for, and for no other one of the API', () => {
  const reserved = prod
    .all('AWS::Lambda::Function')
    .filter(
      ({ part, properties }) =>
        ['AdditionalApi', 'Api', 'Hooks', 'OAuth', 'Users'].includes(part) &&
        properties.ReservedConcurrentExecutions !== undefined,
    )
    .map(({ properties }) => [properties.FunctionName, properties.ReservedConcurrentExecutions]);
  const names = ['check-blocked-number', 'decide-call-start', 'receive-hook', 'search-knowledge'];
  expect(reserved.sort()).toEqual(names.map((name) => [`voice-agents-prod-${name}`, 100]));
});

it('the API is throttled, and logs each request without its path and its query, which may hold a phone number and a key', () => {
  const [stage] = prod.all('AWS::ApiGatewayV2::Stage');
  expect(stage?.properties.DefaultRouteSettings).toMatchObject({
    ThrottlingRateLimit: 500,
    ThrottlingBurstLimit: 1000,
  });
  // Metrics of each route are charged for, and nothing uses them.
  expect(stage?.properties.DefaultRouteSettings.DetailedMetricsEnabled).not.toBe(true);
  const format = JSON.parse(stage?.properties.AccessLogSettings.Format);
  expect(format).toEqual({
    requestId: '$context.requestId',
    route: '$context.routeKey',
    status: '$context.status',
    milliseconds: '$context.responseLatency',
    error: '$context.integrationErrorMessage',
    ip: '$context.identity.sourceIp',
  });
  expect(stage?.properties).toMatchObject({ StageName: '$default', AutoDeploy: true });
});
