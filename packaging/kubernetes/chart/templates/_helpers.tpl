{{- define "tune-node.labels" -}}
app.kubernetes.io/name: tune-node
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tune-node.selector" -}}
app.kubernetes.io/name: tune-node
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tune-node.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "tune-node.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .Values.user }}
runAsGroup: {{ .Values.user }}
fsGroup: {{ .Values.user }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tune-node.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
