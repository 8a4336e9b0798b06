{{/* Names and labels. */}}
{{- define "corpus.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "corpus.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "corpus.labels" -}}
{{ include "corpus.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: corpus-ingest
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "corpus.tag" -}}{{ .Values.image.tag | default .Chart.AppVersion }}{{- end }}

{{- define "corpus.workerImage" -}}{{ .Values.image.prefix }}-worker:{{ include "corpus.tag" . }}{{- end }}

{{- define "corpus.airflowNamespace" -}}{{ .Values.airflow.namespace | default .Release.Namespace }}{{- end }}

{{/* Models: (dict "root" $ "name" name "model" model) */}}
{{- define "corpus.modelName" -}}{{ include "corpus.name" .root }}-{{ .name }}{{- end }}

{{- define "corpus.modelUrl" -}}
{{- if .model.url }}{{ .model.url }}
{{- else }}http://{{ include "corpus.modelName" . }}.{{ .root.Release.Namespace }}.svc:3000{{ end }}
{{- end }}

{{- define "corpus.modelReplicas" -}}
{{- if not (kindIs "invalid" .model.replicas) }}{{ .model.replicas }}
{{- else }}{{ max 1 (ceil (mulf .root.Values.scale.workers (.model.replicasPerWorker | default 1))) }}{{ end }}
{{- end }}

{{/* A worker has at most two requests under way for each of its documents; twice the even share, for an uneven one. */}}
{{- define "corpus.modelConcurrency" -}}
{{- $replicas := include "corpus.modelReplicas" . | float64 }}
{{- $scale := .root.Values.scale }}
{{- max 16 (mul 2 (ceil (divf (mulf 2 $scale.workers $scale.documentsInFlight) (max 1 $replicas)))) }}
{{- end }}

{{/* Up at once when a run begins, down when it is surely over. */}}
{{- define "corpus.scaling" -}}
scaleUp: {stabilizationWindowSeconds: 0}
scaleDown: {stabilizationWindowSeconds: 300}
{{- end }}

{{/* Who runs as whom: nobody as root, nothing writes to the image. */}}
{{- define "corpus.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "corpus.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Mistakes that a schema cannot see, in words. */}}
{{- define "corpus.check" -}}
{{- $stores := .Values.stores }}
{{- if not $stores.objects }}{{ fail "stores.objects is empty: set it to s3://bucket/prefix; pods share results by it" }}{{ end }}
{{- if not (or $stores.ledger $stores.secret) }}
{{- fail "stores.ledger is empty: set it to mongodb://…, or put INGEST_LEDGER into the Secret that stores.secret names" }}{{ end }}
{{- if not (or $stores.index $stores.secret) }}
{{- fail "stores.index is empty: set it to https://…, or put INGEST_INDEX into the Secret that stores.secret names" }}{{ end }}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.stores) }}
{{- fail "networkPolicy.stores is empty: workers could not reach a store; name the stores' addresses, as in [{cidr: 10.1.0.0/16, ports: [443, 27017]}], or set networkPolicy.enabled to false" }}{{ end }}
{{- range $name := list "layout" "labels" }}
{{- $model := index $.Values.models $name }}
{{- if ne (toString $model.stage) $name }}{{ fail (printf "models.%s.stage is %v: this name serves the stage %s; give another service a name of its own" $name $model.stage $name) }}{{ end }}
{{- end }}
{{- range $name, $model := .Values.models }}
{{- if not (or $model.url $model.image (has $name (list "layout" "labels"))) }}
{{- fail (printf "models.%s has neither url nor image: give the address of its service, or the image that is to be run" $name) }}{{ end }}
{{- with $model.autoscaling }}
{{- if and (ne .kind "none") (gt (int .minReplicas) (include "corpus.modelReplicas" (dict "root" $ "name" $name "model" $model) | int)) }}
{{- fail (printf "models.%s.autoscaling.minReplicas is %v, more than the service's replicas; lower it or raise replicas" $name .minReplicas) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
