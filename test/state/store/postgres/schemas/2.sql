-- The schema as version 2 of the program made it: the tests migrate from here.
CREATE SCHEMA scorpiox;
SET search_path TO scorpiox;
CREATE TABLE store_schema (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  version integer NOT NULL,
  oldest_program integer NOT NULL
);
CREATE TABLE store_changes (
  change_id uuid PRIMARY KEY,
  made_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX store_changes_by_age ON store_changes (made_at);
CREATE TABLE plans (
  workspace text NOT NULL,
  owner text NOT NULL,
  goal text NOT NULL,
  plan_file text NOT NULL,
  started_ms bigint NOT NULL,
  PRIMARY KEY (workspace, owner)
);
CREATE TABLE task_scopes (
  scope_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace text NOT NULL,
  owner text NOT NULL,
  current_task_id bigint,
  last_task_id bigint NOT NULL DEFAULT 0,
  last_step_id bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  pending bigint NOT NULL DEFAULT 0,
  revision bigint NOT NULL DEFAULT 0,
  UNIQUE (workspace, owner)
);
CREATE TABLE tasks (
  scope_id bigint NOT NULL REFERENCES task_scopes (scope_id) ON DELETE CASCADE,
  task_id bigint NOT NULL,
  text text NOT NULL,
  is_done integer NOT NULL,
  PRIMARY KEY (scope_id, task_id)
);
CREATE INDEX tasks_by_weight ON tasks (scope_id, is_done, task_id DESC);
CREATE TABLE task_steps (
  scope_id bigint NOT NULL,
  step_id bigint NOT NULL,
  task_id bigint NOT NULL,
  text text NOT NULL,
  is_done integer NOT NULL,
  PRIMARY KEY (scope_id, step_id),
  FOREIGN KEY (scope_id, task_id) REFERENCES tasks (scope_id, task_id) ON DELETE CASCADE
);
CREATE INDEX steps_by_task ON task_steps (scope_id, task_id, step_id);
CREATE TABLE used_states (
  use_id text PRIMARY KEY,
  expires_ms bigint NOT NULL
);
CREATE INDEX used_states_by_age ON used_states (expires_ms);
CREATE TABLE documents (
  name text PRIMARY KEY,
  version bigint NOT NULL,
  content text NOT NULL
);
INSERT INTO store_schema (version, oldest_program) VALUES (2, 1);
INSERT INTO task_scopes (workspace, owner, current_task_id, last_task_id, last_step_id, total, pending, revision)
  VALUES ('/w', 'of version 2', 1, 2, 1, 2, 1, 4);
INSERT INTO tasks VALUES (1, 1, 'a', 0), (1, 2, 'b', 1);
INSERT INTO task_steps VALUES (1, 1, 1, 'one', 0);
