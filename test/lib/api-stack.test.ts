import { expect, it } from 'vitest';
import { routesOf } from '../../functions/http/endpoint.ts';
import { toKebabCase } from '../../lib/bundles.ts';
import { answered, deploymentOf, inProduction, meant, type Resource } from '../support/deployment.ts';

const dev = deploymentOf();
const prod = deploymentOf(inProduction);
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
      'GET /console',
      'GET /console/{view}',
      'GET /docs',
      'GET /docs/{page}',
      'GET /llms.txt',
    ];
    const ours = answered.flatMap((endpoint) => routesOf(endpoint).map(({ method, path }) => `${method} ${path}`));
    expect(keys.sort()).toEqual([...ours, ...pages].sort());
  },
);

it('the API hands each route to the function of its endpoint, by payload 2.0', () => {
  for (const { method, path, name } of answered) {
    const route = dev.all('AWS::ApiGatewayV2::Route').find((one) => one.properties.RouteKey === `${method} ${path}`);
    const integrationId = route?.properties.Target['Fn::Join'][1][1].Ref;
    const integration = dev.resources.find(({ logicalId }) => logicalId === integrationId) as Resource;
    expect(integration.properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
    expect(meant(dev, integration, integration.properties.IntegrationUri).properties.FunctionName).toBe(
      `voice-agents-dev-${toKebabCase(name)}`,
    );
  }
});

it('the API may invoke each function only by its own route', () => {
  const permissions = dev.all('AWS::Lambda::Permission').filter(({ part }) => ['Api', 'Hooks', 'Users'].includes(part));
  expect(permissions).toHaveLength(answered.flatMap(routesOf).length + 7);
  for (const { properties } of permissions) {
    expect(properties).toMatchObject({ Action: 'lambda:InvokeFunction', Principal: 'apigateway.amazonaws.com' });
    const source = properties.SourceArn['Fn::Join'][1].at(-1) as string;
    expect(source).toMatch(/^\/\*\/\*\//);
    const paths = [
      ...answered.flatMap(routesOf).map(({ path }) => path),
      '/',
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

it('concurrency is reserved in production for the functions that a call waits for, and for no other one of the API', () => {
  const reserved = prod
    .all('AWS::Lambda::Function')
    .filter(
      ({ part, properties }) =>
        ['Api', 'Hooks', 'Users'].includes(part) && properties.ReservedConcurrentExecutions !== undefined,
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
