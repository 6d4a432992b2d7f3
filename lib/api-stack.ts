import { ArnFormat, Aws, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnIntegration,
  CfnRoute,
  type CfnStage,
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { checkBlockedNumber } from '../functions/api/check-blocked-number.ts';
import { decideCallStart } from '../functions/api/decide-call-start.ts';
import { receiveHook } from '../functions/api/receive-hook.ts';
import { searchKnowledge } from '../functions/api/search-knowledge.ts';
import { functionTimeoutSeconds } from '../functions/domain/timeouts.ts';
import { cors } from '../functions/http/cors.ts';
import {
  type AnyEndpoint,
  defaultMemoryMegabytes,
  functionMemoryMegabytes,
  functionRoutes,
} from '../functions/http/endpoint.ts';
import { endpointPermissions } from '../functions/http/permissions.ts';
import { pagesFunction } from './bundles.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { deployedFunctionName, reservedConcurrency, ServiceFunction } from './service-function.ts';
import { deploymentName, type Settings } from './settings.ts';

/** The operations at call time whose concurrency can be reserved, so that batches cannot exhaust it. */
const reserved = new Set<AnyEndpoint>([decideCallStart, receiveHook, checkBlockedNumber, searchKnowledge]);

/** The HTTP API, with a function for each route except those that other stacks add. */
export class ApiStack extends NamedNestedStack {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  /** The API's own host, at which CloudFront and the service itself reach it. */
  readonly host: string;

  constructor(scope: Construct, id: string, endpoints: AnyEndpoint[], data: DataStack, settings: Settings) {
    super(scope, id);
    const name = deploymentName(settings);

    this.api = new HttpApi(this, 'Api', {
      apiName: name,
      createDefaultStage: false,
      corsPreflight: corsConfiguration(settings),
    });
    this.host = `${this.api.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`;
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: settings.requestsPerSecond, burstLimit: burstLimit(settings.requestsPerSecond) },
      accessLogSettings: {
        // Names under /aws/vendedlogs/ need no entry in the account's log resource policy, whose size is limited.
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            logGroupName: `/aws/vendedlogs/${name}-api`,
            retention: settings.logDays,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        ),
        format: accessLogFormat,
      },
    });

    const callTimeRoutes = [this.#addHookRoute(settings)];
    for (const endpoint of endpoints) {
      const added = addEndpoint({ scope: this, routes: this.api }, endpoint, { api: this, data }, settings);
      if (endpoint.atCallTime) callTimeRoutes.push(...added);
    }
    this.#limitApart(callTimeRoutes, settings.callTimeRequestsPerSecond);
    // The pages call the chat at their own address, which exists only with CloudFront.
    if (settings.edge) this.#addPages(data, settings);
    suppress(this, 'keys');
  }

  /**
   * Adds the route of voice platforms, whose function a later stack creates: a stage has settings of routes that exist. The path
   * is greedy: earlier versions have the route without the plus sign in that stack, and no route may exist twice.
   */
  #addHookRoute(settings: Settings): CfnRoute {
    const { apiId } = this.api;
    const resourceName = deployedFunctionName(settings, receiveHook.name);
    const integration = new CfnIntegration(this, 'HookIntegration', {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: this.formatArn({
        service: 'lambda',
        resource: 'function',
        resourceName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
      payloadFormatVersion: '2.0',
    });
    const routeKey = `${receiveHook.method} ${receiveHook.path.replace('}', '+}')}`;
    return new CfnRoute(this, 'HookRoute', { apiId, routeKey, target: `integrations/${integration.ref}` });
  }

  /** Gives each route a rate of its own, which requests to other routes do not use up. */
  #limitApart(limited: CfnRoute[], requestsPerSecond: number) {
    const rate = { ThrottlingRateLimit: requestsPerSecond, ThrottlingBurstLimit: burstLimit(requestsPerSecond) };
    const settings = Object.fromEntries(limited.map(({ routeKey }) => [routeKey, rate]));
    (this.stage.node.defaultChild as CfnStage).addPropertyOverride('RouteSettings', settings);
    this.stage.node.addDependency(...limited);
  }

  #addPages(data: DataStack, settings: Settings) {
    const { lambda } = new ServiceFunction(this, data, settings, {
      name: pagesFunction,
      permissions: [],
      servesHttp: true,
      timeoutSeconds: functionTimeoutSeconds,
      memoryMegabytes: defaultMemoryMegabytes,
    });
    const integration = new HttpLambdaIntegration(pagesFunction, lambda);
    for (const path of pagePaths) this.api.addRoutes({ path, methods: [HttpMethod.GET], integration });
  }
}

type Parts = { api: Pick<ApiStack, 'api' | 'host'>; data: DataStack; publicUrl?: string };

/** Adds the function of an endpoint, and its routes in a scope of their own. Returns the routes. */
export const addEndpoint = (
  { scope, routes = scope }: { scope: Construct; routes?: Construct },
  endpoint: AnyEndpoint,
  parts: Parts,
  settings: Settings,
): CfnRoute[] => addRoutes(routes, endpoint, parts, addFunction(scope, endpoint, parts, settings));

/** Adds the routes of an endpoint to its function. */
export const addRoutes = (
  scope: Construct,
  endpoint: AnyEndpoint,
  { api }: Pick<Parts, 'api'>,
  { lambda }: ServiceFunction,
): CfnRoute[] => {
  const integration = new HttpLambdaIntegration(endpoint.name, lambda);
  return functionRoutes(endpoint).map(({ method, path }) => {
    const route = new HttpRoute(scope, `${method}${path}`, {
      httpApi: api.api,
      routeKey: HttpRouteKey.with(path, HttpMethod[method]),
      integration,
    });
    return route.node.defaultChild as CfnRoute;
  });
};

/** Adds the function of an endpoint. `publicUrl` is the address of the deployment, if the endpoint needs it. */
export const addFunction = (
  scope: Construct,
  endpoint: AnyEndpoint,
  { api, data, publicUrl }: Parts,
  settings: Settings,
): ServiceFunction =>
  new ServiceFunction(scope, data, settings, {
    name: endpoint.name,
    permissions: endpointPermissions(endpoint),
    services: endpoint.services,
    apiUrl: `https://${api.host}`,
    publicUrl,
    namesPublicUrl: endpoint.namesPublicUrl,
    limitsAddresses: endpoint.limitsAddresses,
    servesHttp: true,
    timeoutSeconds: functionTimeoutSeconds,
    memoryMegabytes: functionMemoryMegabytes(endpoint),
    reservedConcurrency: reserved.has(endpoint) ? reservedConcurrency(settings.callTimeConcurrency) : undefined,
  });

/** Returns the number of requests that may come at once. */
const burstLimit = (requestsPerSecond: number) => 2 * requestsPerSecond;

/** The paths of the pages and their assets. */
const pagePaths = ['/', '/chat', '/console', '/console/{view}', '/docs', '/docs/{page}', '/llms.txt', '/assets/{file}'];

/** Returns the CORS settings: what a browser may send, and what scripts of the application may read. */
const corsConfiguration = (settings: Settings) => ({
  allowOrigins: settings.appOrigins,
  allowMethods: cors.methods.map((method) => CorsHttpMethod[method]),
  allowHeaders: [...cors.requestHeaders],
  exposeHeaders: [...cors.responseHeaders],
  maxAge: Duration.seconds(cors.maxAgeSeconds),
});

/** The format of the access log. It has the route instead of the path, which may contain a phone number. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    route: '$context.routeKey',
    status: '$context.status',
    milliseconds: '$context.responseLatency',
    error: '$context.integrationErrorMessage',
    ip: '$context.identity.sourceIp',
  }),
);
