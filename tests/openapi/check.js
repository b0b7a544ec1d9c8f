// check.js MODULES REQUESTS: holds recorded requests (JSON lines, written by tests/unit/promotion/forge_impostor.cpp) against
// GitHub's published descriptions: OpenAPI of github.com and of the newest Enterprise Server, and the GraphQL schema.
"use strict";

const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");

const [modules, recording] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(modules), "index.js"));
const Ajv = load("ajv");
const graphql = load("graphql");
const { getVariableValues } = load("graphql/execution/values");

// Without these the check would prove nothing.
const WANTED = [
  "pulls/list", "pulls/get", "pulls/create", "pulls/update", "pulls/merge", "pulls/request-reviewers",
  "issues/add-labels", "issues/create-comment", "apps/get-repo-installation",
  "apps/create-installation-access-token", "enablePullRequestAutoMerge", "disablePullRequestAutoMerge",
];

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

class Description {
  constructor(name, document) {
    this.name = name;
    this.document = document;
    this.paths = Object.entries(document.paths).map(([template, item]) => ({
      item,
      places: (template.match(/{/g) || []).length,
      pattern: new RegExp("^" + template.replace(/[.+]/g, "\\$&").replace(/{[^}]+}/g, "[^/]+") + "$"),
    }));
    this.paths.sort((a, b) => a.places - b.places); // the plainest template that fits
  }

  inlined(node) {
    if (Array.isArray(node)) return node.map((each) => this.inlined(each));
    if (node === null || typeof node !== "object") return node;
    if (typeof node.$ref === "string") {
      const steps = node.$ref.slice(2).split("/");
      return this.inlined(steps.reduce((at, step) => at[step], this.document));
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, this.inlined(value)]));
  }

  // The operation's id, or mistakes.
  check(request) {
    const [where, query] = request.target.split("?");
    const found = this.paths.find((p) => p.pattern.test(where) && p.item[request.method.toLowerCase()]);
    if (!found) return { mistakes: ["no such operation"] };
    const operation = found.item[request.method.toLowerCase()];
    return {
      id: operation.operationId,
      mistakes: [...this.checkQuery(operation, query), ...this.checkBody(operation, request.body)],
    };
  }

  checkQuery(operation, query) {
    const known = this.inlined(operation.parameters || []).filter((p) => p.in === "query");
    const asked = new URLSearchParams(query || "");
    const mistakes = known.filter((p) => p.required && !asked.has(p.name)).map((p) => `query ${p.name} is missing`);
    for (const [name, text] of asked) {
      const parameter = known.find((p) => p.name === name);
      if (!parameter) mistakes.push(`query ${name} is unknown`);
      else mistakes.push(...mistakesIn(parameter.schema, typed(parameter.schema, text), `query ${name}`));
    }
    return mistakes;
  }

  checkBody(operation, body) {
    const described = this.inlined(operation.requestBody || null);
    if (body === null) return described && described.required ? ["the body is missing"] : [];
    if (!described) return ["a body nobody reads"];
    const schema = described.content["application/json"].schema;
    const properties = new Set();
    const gather = (s) => {
      Object.keys(s.properties || {}).forEach((key) => properties.add(key));
      [...(s.oneOf || []), ...(s.anyOf || []), ...(s.allOf || [])].forEach(gather);
    };
    gather(schema);
    // The descriptions allow further members; a misspelt one would be ignored by GitHub and noticed by nobody.
    const unknown = Object.keys(body).filter((key) => !properties.has(key)).map((key) => `body.${key} is unknown`);
    return [...unknown, ...mistakesIn(schema, body, "body")];
  }
}

function typed(schema, text) {
  if (schema.type === "integer" || schema.type === "number") return Number(text);
  if (schema.type === "boolean") return text === "true";
  return text;
}

function mistakesIn(schema, value, place) {
  const validate = ajv.compile(schema);
  return validate(value) ? [] : validate.errors.map((e) => `${place}${e.instancePath} ${e.message}`);
}

function checkGraphql(schema, body) {
  const document = graphql.parse(body.query);
  const mistakes = graphql.validate(schema, document).map((e) => e.message);
  const operation = document.definitions[0];
  const values = getVariableValues(schema, operation.variableDefinitions, body.variables || {});
  mistakes.push(...(values.errors || []).map((e) => e.message));
  return { id: operation.selectionSet.selections[0].name.value, mistakes };
}

const folder = path.join(modules, "node_modules/@octokit/openapi/generated");
const servers = fs.readdirSync(folder).filter((name) => /^ghes-[\d.]+\d\.json$/.test(name));
servers.sort((a, b) => Number(a.match(/\.(\d+)\.json/)[1]) - Number(b.match(/\.(\d+)\.json/)[1]));
const descriptions = ["api.github.com.json", servers[servers.length - 1]].map(
  (name) => new Description(name, JSON.parse(fs.readFileSync(`${folder}/${name}`))),
);
const sdl = path.join(modules, "node_modules/@octokit/graphql-schema/schema.graphql");
// As published it names a field twice, which is no concern of ours.
const schema = graphql.buildSchema(fs.readFileSync(sdl, "utf8"), { assumeValidSDL: true, assumeValid: true });

const lines = fs.readFileSync(recording, "utf8").split("\n").filter(Boolean).map(JSON.parse);
const requests = lines.filter((request) => request.api === "github");
const seen = new Set();
let wrong = 0;
for (const request of requests) {
  const rest = { ...request, target: request.target.replace(/^\/api\/v3/, "") };
  const results = request.target === "/api/graphql"
    ? [["GraphQL", checkGraphql(schema, request.body)]]
    : descriptions.map((d) => [d.name, d.check(rest)]);
  for (const [name, { id, mistakes }] of results) {
    if (id) seen.add(id);
    for (const mistake of mistakes) {
      wrong += 1;
      console.error(`${request.method} ${request.target}: ${mistake} (${name})`);
    }
  }
}
const missing = WANTED.filter((id) => !seen.has(id));
if (missing.length > 0) console.error(`never asked for: ${missing.join(", ")}`);
if (wrong > 0 || missing.length > 0) process.exit(1);
console.log(`openapi: ${requests.length} requests, ${seen.size} operations, as GitHub describes them`);
